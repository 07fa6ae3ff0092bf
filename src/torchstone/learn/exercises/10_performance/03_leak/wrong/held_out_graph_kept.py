# rejected by: no_needless_graph: A graph keeps every activation, even if no
# the held-out pass builds a graph that nobody needs, though only numbers are kept of it
"""Train without holding on to what is over."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average = largest = 0.0

    def look(module: nn.Module, inputs: Any, output: Tensor) -> None:
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    model.zero_grad(set_to_none=True)
    handle = model[0].register_forward_hook(look)
    try:
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
                    parameter.grad = None
            prediction = model(held_out[0])
            losses.append((prediction - held_out[1]).square().mean().item())
            average = 0.9 * average + 0.1 * prediction.mean().item()
            del prediction
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
