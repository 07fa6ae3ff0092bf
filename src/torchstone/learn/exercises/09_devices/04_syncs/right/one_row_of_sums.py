# earns: solved lean
# one small tensor of sums on the device, updated by stacking; a class holds it
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


class Report:
    def __init__(self, like: Tensor) -> None:
        self.sums = like.new_zeros(3)
        self.worst = like.new_zeros(1)

    def add(self, loss: Tensor, fine: Tensor) -> None:
        kept = torch.where(fine, loss, torch.zeros_like(loss))
        good = fine.to(loss.dtype)
        self.sums = self.sums + torch.stack([kept, good, 1 - good])
        self.worst = torch.maximum(self.worst, kept)

    def read(self) -> dict[str, float | int]:
        total, count, skipped, worst = torch.cat([self.sums, self.worst]).cpu().tolist()
        return {"mean": total / count if count else 0.0, "worst": worst, "skipped": round(skipped)}


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    report = Report(weight)
    for x, y in batches:
        error = x @ weight - y
        loss = (error * error).mean()
        fine = torch.isfinite(loss)
        gradient = x.T @ error * (2 / max(len(y), 1))
        weight = weight - rate * torch.where(fine, gradient, torch.zeros_like(gradient))
        report.add(loss, fine)
    return weight, report.read()
