# earns: solved lean
# torch's SGD, a class with a running maximum on the device, evaluation in a function of its own
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class Loudest:
    def __init__(self) -> None:
        self.value: Tensor | None = None

    def __call__(self, module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        with torch.no_grad():
            now = output.abs().max()
            self.value = now if self.value is None else torch.maximum(self.value, now)


@torch.no_grad()
def look(model: nn.Module, x: Tensor, y: Tensor) -> tuple[float, float]:
    prediction = model(x)
    return nn.functional.mse_loss(prediction, y).item(), prediction.mean().item()


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    loudest = Loudest()
    report: dict[str, float | list[float]] = {"losses": [], "average": 0.0, "largest": 0.0}
    handle = model[0].register_forward_hook(loudest)
    for x, y in batches:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()
        loss, mean = look(model, *held_out)
        report["losses"].append(loss)
        report["average"] = 0.9 * report["average"] + 0.1 * mean
    handle.remove()
    if loudest.value is not None:
        report["largest"] = float(loudest.value)
    return report
