# rejected by: nothing_breaks_the_graph: The host must know a value
# '`.item()` — the graph breaks in two': the loudest values are read as Python numbers
"""Limit the loudest value of each row, in one graph for all shapes."""

import torch
from torch import Tensor


def squash(x: Tensor, limit: float) -> Tensor:
    peaks = x.abs().amax(1).tolist()
    factors = [min(1.0, limit / peak) if peak > 0 else 1.0 for peak in peaks]
    return x * torch.tensor(factors, dtype=x.dtype, device=x.device)[:, None]
