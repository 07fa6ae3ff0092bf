# earns: solved lean
# an empty buffer that is filled by hand, copy_ and narrow, cat at the end
"""Send many small tensors as one, and never wait for them: packed by hand into one buffer."""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    total = sum(math.prod(value.shape) for value in record.values())
    host = torch.empty(total, dtype=torch.float32)
    ends, end = [], 0
    for value in record.values():
        begin, end = end, end + value.numel()
        host[begin:end].view(value.shape).copy_(value)
        ends.append(end)
    if total == 0:
        return {name: torch.empty(value.shape, dtype=torch.float32, device=device) for name, value in record.items()}
    there = torch.empty(total, dtype=torch.float32, device=device)
    there.copy_(host, non_blocking=True)
    uploaded = {}
    for (name, value), stop in zip(record.items(), ends, strict=True):
        uploaded[name] = there.narrow(0, stop - value.numel(), value.numel()).reshape(value.shape)
    return uploaded


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results: list[Tensor] = []
    for record in records:
        result = work(upload(record, device))
        results.append(result.detach().reshape(1))
    if not results:
        return []
    back = torch.cat(results).cpu()
    return [float(value) for value in back]
