# earns: solved lean
# packed piece by piece into new memory, cut by narrow
"""Send many small tensors as one, and never wait for them."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if not record:
        return {}
    places, end = {}, 0
    for name, value in record.items():
        places[name] = (end, value.shape)
        end += math.prod(value.shape)
    packed = torch.empty(end, dtype=torch.float32, pin_memory=torch.device(device).type == "cuda")
    for name, value in record.items():
        start, shape = places[name]
        packed.narrow(0, start, value.numel()).view(shape).copy_(value)
    sent = packed.to(device=device, non_blocking=True)
    return {name: sent.narrow(0, start, math.prod(shape)).view(shape) for name, (start, shape) in places.items()}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = []
    for record in records:
        results.append(work(upload(record, device)).reshape(1))
    return [] if not results else torch.cat(results).cpu().tolist()
