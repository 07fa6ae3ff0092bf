# rejected by: results_are_right: the report['largest'] is
# the hook is there in the training passes only: a larger value in a held-out pass is missed; breaks '"largest": ...
# at any time', a held-out x ten times as large
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average, largest = 0.0, 0.0

    def watch(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    try:
        model.zero_grad(set_to_none=True)
        for x, y in batches:
            handle = model[0].register_forward_hook(watch)
            (model(x) - y).square().mean().backward()
            handle.remove()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.sub_(parameter.grad, alpha=rate)
                    parameter.grad = None
                prediction = model(held_out[0])
                losses.append((prediction - held_out[1]).square().mean().item())
                average = 0.9 * average + 0.1 * prediction.mean().item()
                del prediction
            del x, y
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
