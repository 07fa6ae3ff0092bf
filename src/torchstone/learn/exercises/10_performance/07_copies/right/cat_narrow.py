# earns: solved lean
# cat, narrow and reshape; cat of the results
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable
from math import prod

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    pieces = [torch.empty(0), *(value.flatten() for value in record.values())]
    packed = torch.cat(pieces)
    if packed.numel():
        packed = packed.to(device, non_blocking=True)
    else:
        packed = torch.empty(0, device=device)
    sent, begin = {}, 0
    for name, value in record.items():
        length = prod(value.shape)
        sent[name] = packed.narrow(0, begin, length).reshape(value.shape)
        begin += length
    return sent


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = [work(upload(record, device)).reshape(1) for record in records]
    if not results:
        return []
    return torch.cat(results).tolist()
