# earns: solved lean
# an empty host buffer that is filled piece by piece, narrow for the views, a generator-free loop
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    device = torch.device(device)
    total = sum(tensor.numel() for tensor in record.values())
    packed = torch.empty(total, dtype=torch.float32, pin_memory=device.type == "cuda")
    places, start = {}, 0
    for name, tensor in record.items():
        packed.narrow(0, start, tensor.numel()).view(tensor.shape).copy_(tensor)
        places[name] = start
        start += tensor.numel()
    sent = packed.to(device, non_blocking=True)
    return {name: sent.narrow(0, places[name], tensor.numel()).view(tensor.shape) for name, tensor in record.items()}


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    answers = []
    for record in records:
        answers.append(work(upload(record, device)).detach().reshape(1))
    if not answers:
        return []
    return torch.cat(answers).cpu().tolist()
