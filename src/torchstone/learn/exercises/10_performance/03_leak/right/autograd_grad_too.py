# earns: solved lean
# autograd.grad instead of backward, running numbers as tensors without a graph
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    top = torch.zeros(())
    mean = torch.zeros((), dtype=torch.float64)
    losses: list[float] = []

    def look(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> None:
        with torch.no_grad():
            low, high = output.aminmax()
            top.fill_(max(float(top), -float(low), float(high)))

    def step(x: Tensor, y: Tensor) -> None:
        error = torch.nn.functional.mse_loss(model(x), y)
        grads = torch.autograd.grad(error, weights, allow_unused=True)
        with torch.no_grad():
            for weight, grad in zip(weights, grads, strict=True):
                if grad is not None:
                    weight.add_(grad, alpha=-rate)

    @torch.no_grad()
    def check(x: Tensor, y: Tensor) -> None:
        prediction = model(x)
        losses.append(float((prediction - y).pow(2).mean()))
        mean.mul_(0.9).add_(0.1 * float(prediction.mean()))

    handle = model[0].register_forward_hook(look)
    try:
        for x, y in batches:
            step(x, y)
            check(*held_out)
    finally:
        handle.remove()
        model.zero_grad(set_to_none=True)
    return {"losses": losses, "average": float(mean), "largest": float(top)}
