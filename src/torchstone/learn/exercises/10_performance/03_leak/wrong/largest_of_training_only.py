# rejected by: results_are_right: the report['largest'] is
# "came out of `model[0]` at any time": the held-out passes are not looked at
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def _step(model: nn.Sequential, x: Tensor, y: Tensor, rate: float) -> None:
    weights = [p for p in model.parameters() if p.requires_grad]
    slopes = torch.autograd.grad((model(x) - y).square().mean(), weights, allow_unused=True)
    with torch.no_grad():
        for weight, slope in zip(weights, slopes, strict=True):
            if slope is not None:
                weight.sub_(slope, alpha=rate)


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    report: dict[str, float | list[float]] = {"losses": [], "average": 0.0, "largest": 0.0}

    def look(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        report["largest"] = max(report["largest"], output.detach().abs().max().item())

    for p in model.parameters():
        p.grad = None
    handle = model[0].register_forward_hook(look)
    try:
        for x, y in batches:
            _step(model, x, y, rate)
            with torch.no_grad():
                largest = report["largest"]
                prediction = model(held_out[0])
                report["largest"] = largest
                report["losses"].append((prediction - held_out[1]).square().mean().item())
                report["average"] = 0.9 * report["average"] + 0.1 * prediction.mean().item()
    finally:
        handle.remove()
    return report
