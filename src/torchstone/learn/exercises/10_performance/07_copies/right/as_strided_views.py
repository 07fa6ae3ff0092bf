# earns: solved lean fast
# offsets summed up by accumulate, narrow and unflatten by hand, results joined by cat
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable
from itertools import accumulate

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    sizes = [value.numel() for value in record.values()]
    flat = torch.cat([torch.empty(0), *(value.ravel() for value in record.values())])
    there = flat.to(device=device, non_blocking=True)
    begins = accumulate(sizes, initial=0)
    return {
        name: there.narrow(0, begin, size).reshape(record[name].shape)
        for name, begin, size in zip(record, begins, sizes)
    }


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    queued: list[Tensor] = []
    for record in records:
        queued.append(work(upload(record, device)).reshape(1))
    if not queued:
        return []
    return torch.cat(queued).cpu().tolist()
