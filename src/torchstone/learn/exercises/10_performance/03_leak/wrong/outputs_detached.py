# rejected by: nothing_outlives_its_step: A tensor with a grad_fn keeps its graph alive
# 'flat over 50 steps': all outputs of the first layer are kept, detached, until the end
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    losses, outputs, average = [], [], 0.0
    handle = model[0].register_forward_hook(lambda module, inputs, output: outputs.append(output.detach()))
    for x, y in batches:
        model.zero_grad(set_to_none=True)
        (model(x) - y).square().mean().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
            prediction = model(held_out[0])
            losses.append((prediction - held_out[1]).square().mean().item())
            average = 0.9 * average + 0.1 * prediction.mean().item()
    handle.remove()
    model.zero_grad(set_to_none=True)
    largest = max((output.abs().max().item() for output in outputs), default=0.0)
    return {"losses": losses, "average": average, "largest": largest}
