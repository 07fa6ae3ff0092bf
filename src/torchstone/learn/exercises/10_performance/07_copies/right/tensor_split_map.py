# earns: solved lean fast
# hstack and an iterator over the cut pieces, map for the work
"""Send many small tensors as one, and never wait for them."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def upload(record: dict[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """The same float32 tensors on `device`, by one copy."""
    names, values = list(record), list(record.values())
    if not names:
        return {}
    sent = torch.hstack([value.flatten() for value in values]).to(device, non_blocking=True)
    cut = iter(torch.split_with_sizes(sent, [value.numel() for value in values]))
    return dict(zip(names, (next(cut).view(value.size()) for value in values)))


def process(
    records: Iterable[dict[str, Tensor]], device: torch.device, work: Callable[[dict[str, Tensor]], Tensor]
) -> list[float]:
    """The results of `work` on all records, which come back by one copy."""
    results = tuple(map(lambda record: work(upload(record, device)), records))
    return [] if len(results) == 0 else torch.stack(results).to("cpu").numpy().tolist()
