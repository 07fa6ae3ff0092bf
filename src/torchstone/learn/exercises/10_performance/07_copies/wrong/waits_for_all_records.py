# rejected by: nobody_waits: The device works while the host makes the next record: send each one
# nothing is sent before the last record is there; "each is sent as soon as it is there"
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    if not record:
        return {}
    packed = torch.cat([value.reshape(-1) for value in record.values()])
    if torch.device(device).type == "cuda":
        packed = packed.pin_memory()
    sent = packed.to(device, non_blocking=True)
    parts = sent.split([value.numel() for value in record.values()])
    return {name: part.view(value.shape) for (name, value), part in zip(record.items(), parts, strict=True)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    waiting = list(records)
    results = [work(upload(record, device)) for record in waiting]
    return torch.stack(results).tolist() if results else []
