# earns: solved lean
"""One pass of gradient descent in which the host never waits for the device."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    losses: list[Tensor] = []
    for x, y in batches:
        error = torch.mv(x, weight) - y
        losses.append((error * error).mean())
        gradient = torch.mv(x.t(), error) * (2 / len(y))
        weight = torch.where(losses[-1].isfinite(), weight - rate * gradient, weight)
    values = torch.stack(losses).tolist() if losses else []
    counted = [value for value in values if math.isfinite(value)]
    report = {"mean": 0.0, "worst": 0.0, "skipped": len(values) - len(counted)}
    if counted:
        report.update(mean=math.fsum(counted) / len(counted), worst=max(counted))
    return weight, report
