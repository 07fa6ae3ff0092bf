# rejected by: nobody_waits: The device works while the host makes the next record
# waits until all records are there before the first is sent; "each is sent as soon as it is there"
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if not record:
        return {}
    packed = torch.cat([value.reshape(-1) for value in record.values()])
    if device.type == "cuda":
        packed = packed.pin_memory()
    packed = packed.to(device, non_blocking=True)
    parts = packed.split([value.numel() for value in record.values()])
    return {key: part.view(value.shape) for (key, value), part in zip(record.items(), parts, strict=True)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = [work(upload(record, device)) for record in list(records)]
    return torch.stack(results).tolist() if results else []
