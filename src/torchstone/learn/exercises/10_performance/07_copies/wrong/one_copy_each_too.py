# rejected by: records_arrive: Even a record of one tensor is packed into a new one
# "by one copy: pack them into one flat tensor on the host": every tensor travels alone
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    return {name: value.to(device, non_blocking=True) for name, value in record.items()}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = [work(upload(record, device)) for record in records]
    return torch.stack(results).tolist() if results else []
