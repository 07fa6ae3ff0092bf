# rejected by: results_come_back: The iterable may be empty
# 'No record: an empty list': torch.stack of an empty list raises
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    if not record:
        return {}
    packed = torch.cat([value.reshape(-1) for value in record.values()])
    if torch.device(device).type == "cuda":
        packed = packed.pin_memory()
    packed = packed.to(device, non_blocking=True)
    parts = packed.split([value.numel() for value in record.values()])
    return {name: part.view(value.shape) for (name, value), part in zip(record.items(), parts)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    return torch.stack([work(upload(record, device)) for record in records]).tolist()
