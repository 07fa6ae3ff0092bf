"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses, outputs = [], []
    average = 0.0
    model.zero_grad()
    # TODO: four things below outlive their step
    for x, y in batches:
        handle = model[0].register_forward_hook(lambda module, inputs, output: outputs.append(output))
        (model(x) - y).square().mean().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
                parameter.grad.zero_()
        prediction = model(held_out[0])
        losses.append((prediction - held_out[1]).square().mean())
        average = 0.9 * average + 0.1 * prediction.mean()
    largest = max(output.abs().max() for output in outputs)
    return {"losses": [float(loss) for loss in losses], "average": float(average), "largest": float(largest)}
