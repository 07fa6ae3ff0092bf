# rejected by: records_arrive: What was handed over must not be written to again
# "a tensor that was handed over must then not be written to again": one global staging buffer, cached by size
"""Send many small tensors as one, and never wait for them."""

import itertools
from collections.abc import Callable, Iterable

import torch
from torch import Tensor


_STAGING: dict[int, Tensor] = {}


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    device = torch.device(device)
    ends = list(itertools.accumulate(one.numel() for one in record.values()))
    size = ends[-1] if ends else 0
    packed = _STAGING.setdefault(size, torch.empty(size))
    for one, end in zip(record.values(), ends, strict=True):
        packed[end - one.numel() : end].view(one.shape).copy_(one.detach())
    there = packed.to(device, non_blocking=True)
    return {
        name: there.narrow(0, end - one.numel(), one.numel()).view(one.shape)
        for (name, one), end in zip(record.items(), ends, strict=True)
    }


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = [work(upload(record, device)).detach() for record in records]
    return torch.stack(results).cpu().tolist() if results else []
