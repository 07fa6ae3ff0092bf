# rejected by: records_arrive: The flat tensor is cut in the order in which it was packed
# 'views of the right shapes': the pieces stay flat
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
    return {name: part for (name, value), part in zip(record.items(), parts)}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    results = [work(upload(record, device)) for record in records]
    return torch.stack(results).tolist() if results else []
