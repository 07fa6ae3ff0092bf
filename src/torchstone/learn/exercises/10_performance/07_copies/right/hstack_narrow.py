# earns: solved lean
# hstack of ravelled tensors, narrow by running offsets; the results are appended
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable
from itertools import accumulate

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if len(record) == 0:
        return {}
    host = torch.hstack([tensor.ravel() for tensor in record.values()])
    if torch.device(device).type == "cuda":
        host = host.pin_memory()
    there = host.to(device=device, non_blocking=True)
    sizes = [tensor.numel() for tensor in record.values()]
    begins = accumulate(sizes, initial=0)
    return {
        name: there.narrow(0, begin, size).reshape(record[name].shape)
        for name, begin, size in zip(record, begins, sizes, strict=False)
    }


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results: list[Tensor] = []
    for record in records:
        results.append(work(upload(record, device)).reshape(1))
    if not results:
        return []
    return [float(number) for number in torch.cat(results).cpu()]
