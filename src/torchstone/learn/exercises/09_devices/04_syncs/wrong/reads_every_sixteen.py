# rejected by: waits_do_not_grow: Each wait empties the device's queue
# reads the report every 16 batches; "at most two waits for the device, however many batches there are"
"""One pass of gradient descent in which the host never waits for the device."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    total, worst, counted, seen = 0.0, 0.0, 0, 0
    pending: list[Tensor] = []

    def flush() -> None:
        nonlocal total, worst, counted
        if pending:
            for value in torch.stack(pending).tolist():
                if math.isfinite(value):
                    total, worst, counted = total + value, max(worst, value), counted + 1
            pending.clear()

    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        weight = torch.where(torch.isfinite(loss), weight - rate * 2 / len(y) * (x.T @ error), weight)
        pending.append(loss)
        seen += 1
        if len(pending) == 16:
            flush()
    flush()
    return weight, {"mean": total / max(counted, 1), "worst": worst, "skipped": seen - counted}
