# earns: solved lean
# the losses are kept on the device, read once and looked at on the CPU; masked_fill instead of where
"""One pass of gradient descent in which the host never waits for the device."""

from collections.abc import Iterable

import torch
from torch import Tensor


def train(
    weight: Tensor, batches: Iterable[tuple[Tensor, Tensor]], rate: float
) -> tuple[Tensor, dict[str, float | int]]:
    """The weight after one pass over `batches`, and a report on their losses."""
    current = weight.detach().clone()
    losses = []
    for x, y in batches:
        error = torch.mv(x, current).sub_(y)
        loss = torch.dot(error, error) / y.numel()
        step = torch.mv(x.t(), error).mul_(rate * 2 / y.numel())
        current.sub_(step.masked_fill_(loss.isfinite().logical_not_(), 0.0))
        losses.append(loss)
    if not losses:
        return current, {"mean": 0.0, "worst": 0.0, "skipped": 0}
    known = torch.stack(losses).cpu()
    finite = known[known.isfinite()]
    report = {"mean": 0.0, "worst": 0.0, "skipped": known.numel() - finite.numel()}
    if finite.numel():
        report |= {"mean": finite.mean().item(), "worst": finite.max().item()}
    return current, report
