# rejected by: records_arrive: What was handed over must not be written to again
# packs into one buffer that is kept between calls: on the CPU a second upload of the same size overwrites the first
# (and on an asynchronous device what is still being sent); breaks 'packing makes a new one each time'
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


_BUFFERS: dict[int, Tensor] = {}


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if not record:
        return {}
    sizes = [value.numel() for value in record.values()]
    host = _BUFFERS.setdefault(sum(sizes), torch.empty(sum(sizes)))
    for place, value in zip(host.split(sizes), record.values(), strict=True):
        place.view(value.shape).copy_(value)
    there = host.to(device, non_blocking=True)
    places = there.split(sizes)
    return {name: place.view(record[name].shape) for name, place in zip(record, places, strict=True)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = []
    for record in records:
        results.append(work(upload(record, device)))
    return torch.stack(results).cpu().tolist() if results else []
