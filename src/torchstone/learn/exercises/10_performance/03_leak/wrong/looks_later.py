# rejected by: outputs_are_looked_at_in_time: look at once, in the hook
# looks at the first layer's output when the whole model has run, after a ReLU in place has changed it; "the largest
# absolute value that came out of `model[0]` at any time"
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
    latest: list[Tensor] = []

    def look(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        latest.append(output.detach())

    handle = model[0].register_forward_hook(look)
    try:
        model.zero_grad()
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter -= rate * parameter.grad
                        parameter.grad = None
                prediction = model(held_out[0])
                losses.append((prediction - held_out[1]).square().mean().item())
                while latest:
                    largest = max(largest, latest.pop().abs().max().item())
                average = 0.9 * average + 0.1 * prediction.mean().item()
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
