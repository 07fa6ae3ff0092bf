# earns: solved lean
# runs the layers itself, torch.autograd.grad instead of backward
"""Train without holding on to what is over: no hooks and no .grad at all."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def run(model: nn.Sequential, x: Tensor) -> tuple[Tensor, float]:
    """The model's output, and the largest absolute value that its first layer gave."""
    first = model[0](x)
    peak = float(first.detach().abs().amax())
    for layer in list(model)[1:]:
        first = layer(first)
    return first, peak


def learn(model: nn.Sequential, x: Tensor, y: Tensor, rate: float) -> float:
    """One step of gradient descent; the peak of the first layer."""
    parameters = list(model.parameters())
    output, peak = run(model, x)
    gradients = torch.autograd.grad(torch.mean((output - y) ** 2), parameters)
    with torch.no_grad():
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.sub_(gradient, alpha=rate)
    return peak


@torch.no_grad()
def look(model: nn.Sequential, x: Tensor, y: Tensor) -> tuple[float, float, float]:
    """Loss, mean prediction and peak on held-out data."""
    output, peak = run(model, x)
    return float(torch.mean((output - y) ** 2)), float(output.mean()), peak


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    for parameter in model.parameters():
        parameter.grad = None
    report: dict[str, float | list[float]] = {"losses": [], "average": 0.0, "largest": 0.0}
    for x, y in batches:
        peak = learn(model, x, y, rate)
        loss, mean, other = look(model, *held_out)
        report["losses"].append(loss)
        report["average"] = 0.9 * report["average"] + 0.1 * mean
        report["largest"] = max(report["largest"], peak, other)
    return report
