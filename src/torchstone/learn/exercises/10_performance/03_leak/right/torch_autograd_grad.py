# earns: solved lean
# torch.autograd.grad in a function of its own, so that nothing outlives a step
"""Train without holding on to what is over."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def _step(model: nn.Sequential, x: Tensor, y: Tensor, rate: float) -> None:
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    loss = (model(x) - y).square().mean()
    gradients = torch.autograd.grad(loss, weights, allow_unused=True)
    with torch.no_grad():
        for weight, gradient in zip(weights, gradients):
            if gradient is not None:
                weight.sub_(gradient, alpha=rate)


@torch.no_grad()
def _look(model: nn.Sequential, x: Tensor, y: Tensor) -> tuple[float, float]:
    prediction = model(x)
    return (prediction - y).square().mean().item(), prediction.mean().item()


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average = largest = 0.0

    def watch(module: nn.Module, inputs: Any, output: Tensor) -> None:
        nonlocal largest
        low, high = output.detach().aminmax()
        largest = max(largest, -low.item(), high.item())

    handle = model[0].register_forward_hook(watch)
    try:
        for x, y in batches:
            _step(model, x, y, rate)
            loss, mean = _look(model, *held_out)
            losses.append(loss)
            average = 0.9 * average + 0.1 * mean
    finally:
        handle.remove()
        for weight in model.parameters():
            weight.grad = None
    return {"losses": losses, "average": average, "largest": largest}
