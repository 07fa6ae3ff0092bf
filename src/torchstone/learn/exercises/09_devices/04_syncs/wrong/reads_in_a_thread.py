# rejected by: waits_do_not_grow: Each wait empties the device's queue
# 'at most two waits for the device, however many batches': a second thread waits for each loss
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor
from concurrent.futures import ThreadPoolExecutor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    with ThreadPoolExecutor(1) as pool:
        waiting = []
        for x, y in batches:
            error = x @ weight - y
            loss = error.square().mean()
            waiting.append(pool.submit(loss.item))
            weight = torch.where(loss.isfinite(), weight - rate * 2 / max(len(y), 1) * (x.T @ error), weight)
        values = [future.result() for future in waiting]
    good = [v for v in values if v - v == 0]
    return weight, {
        "mean": sum(good) / max(len(good), 1),
        "worst": max(good, default=0.0),
        "skipped": len(values) - len(good),
    }
