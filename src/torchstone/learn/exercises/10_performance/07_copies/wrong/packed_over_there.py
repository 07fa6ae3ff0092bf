# rejected by: one_copy_a_record: Each copy has a price of its own
# 'pack them into one flat tensor on the host': the tensors are sent one by one and packed on the device
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    if not record:
        return {}
    packed = torch.cat([value.to(device, non_blocking=True).reshape(-1) for value in record.values()])
    parts = packed.split([value.numel() for value in record.values()])
    return {name: part.view(value.shape) for (name, value), part in zip(record.items(), parts)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    results = [work(upload(record, device)) for record in records]
    return torch.stack(results).tolist() if results else []
