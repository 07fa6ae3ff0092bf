# rejected by: records_arrive: What was handed over must not be written to again: pack each record
# packs into one buffer that is used again for the next record; "a tensor that was handed over must then not be
# written to again"
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


buffers: dict[int, Tensor] = {}


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if not record:
        return {}
    size = sum(value.numel() for value in record.values())
    if size not in buffers:
        pinned = torch.device(device).type == "cuda"
        buffers[size] = torch.empty(size, pin_memory=pinned)
    packed = torch.cat([value.reshape(-1) for value in record.values()], out=buffers[size])
    sent = packed.to(device, non_blocking=True)
    parts = sent.split([value.numel() for value in record.values()])
    return {name: part.view(value.shape) for (name, value), part in zip(record.items(), parts, strict=True)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = [work(upload(record, device)) for record in records]
    return torch.stack(results).tolist() if results else []
