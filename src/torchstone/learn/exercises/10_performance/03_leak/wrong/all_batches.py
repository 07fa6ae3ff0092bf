# rejected by: batches_are_taken_one_by_one: A list of all batches is all the data in memory at once
# "nothing kept from step to step": all batches are held at once
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses = []
    average = largest = 0.0

    def look(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    model.zero_grad()
    handle = model[0].register_forward_hook(look)
    try:
        batches = list(batches)
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter -= rate * parameter.grad
                        parameter.grad = None
                prediction = model(held_out[0])
                losses.append((prediction - held_out[1]).square().mean().item())
                average = 0.9 * average + 0.1 * prediction.mean().item()
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
