# earns: solved lean
# keeps each loss on the device, selects the weight by an index, reports in Python
"""One pass of gradient descent; all losses are read together at the end."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn.functional import mse_loss


def step(weight: Tensor, x: Tensor, y: Tensor, rate: float) -> tuple[Tensor, Tensor]:
    """The next weight and the loss of this batch, both on the device."""
    prediction = torch.mv(x, weight)
    loss = mse_loss(prediction, y)
    moved = weight - rate * (torch.mv(x.t(), prediction - y) * (2.0 / y.shape[0]))
    choice = torch.stack([weight, moved])
    return choice.index_select(0, loss.isfinite().to(torch.int64).view(1)).squeeze(0), loss


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    weight = weight.clone()
    losses: list[Tensor] = []
    for x, y in batches:
        weight, loss = step(weight, x, y, rate)
        losses.append(loss)
    read = torch.stack(losses).tolist() if losses else []
    good = [loss for loss in read if math.isfinite(loss)]
    report = {"mean": 0.0, "worst": 0.0, "skipped": len(read) - len(good)}
    if good:
        report["mean"], report["worst"] = math.fsum(good) / len(good), max(good)
    return weight, report
