# earns: solved lean
# as_strided views at their offsets, map over the records
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from itertools import accumulate


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    shapes = [tuple(value.shape) for value in record.values()]
    sizes = [value.numel() for value in record.values()]
    flat = [torch.zeros(0)] + [value.contiguous().flatten() for value in record.values()]
    packed = torch.cat(flat)
    if torch.device(device).type == "cuda":
        packed = packed.pin_memory()
    packed = packed.to(device, non_blocking=True)
    starts = accumulate(sizes, initial=0)
    return {
        name: packed[start : start + size].unflatten(0, shape)
        if shape and size
        else packed[start : start + size].reshape(shape)
        for name, shape, size, start in zip(record, shapes, sizes, starts)
    }


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    results = list(map(work, (upload(record, device) for record in records)))
    if len(results) == 0:
        return []
    together = torch.stack([result.detach() for result in results]).to("cpu")
    return [float(value) for value in together]
