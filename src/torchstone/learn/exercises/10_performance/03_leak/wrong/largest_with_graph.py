# rejected by: no_needless_graph: A graph keeps every activation
# the largest value is a tensor with a graph that grows by each step's first layer; breaks 'nothing kept from step
# to step'
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average, largest = 0.0, torch.zeros(())

    def watch(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        nonlocal largest
        largest = torch.maximum(largest, output.abs().max())

    handle = model[0].register_forward_hook(watch)
    try:
        model.zero_grad(set_to_none=True)
        for x, y in batches:
            (model(x) - y).square().mean().backward()
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
    return {"losses": losses, "average": average, "largest": float(largest)}
