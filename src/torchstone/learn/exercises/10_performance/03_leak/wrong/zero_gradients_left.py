# rejected by: nothing_is_left_on_the_model: A gradient is as large as its parameter: set it to None,
# gradients of zero stay in the model; promised: "afterwards no hooks are left on the model, and no gradients"
"""Train without holding on to what is over."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


def _step(model: nn.Sequential, x: Tensor, y: Tensor, rate: float) -> None:
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    loss = (model(x) - y).square().mean()
    loss.backward()
    gradients = [weight.grad for weight in weights]
    with torch.no_grad():
        for weight, gradient in zip(weights, gradients):
            if gradient is not None:
                weight.sub_(gradient, alpha=rate)
                gradient.zero_()


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
    return {"losses": losses, "average": average, "largest": largest}
