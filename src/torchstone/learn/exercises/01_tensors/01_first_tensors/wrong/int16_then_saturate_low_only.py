# rejected by: bytes_stop_at_their_ends: Bytes wrap around
# "What would fall below 0 stays at 0": wraps for sums below 0
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.einsum("hwc->chw", image.to(torch.float32)).div(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    return (image.int() + amount).clamp(max=255).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    table = table if table.dtype in (torch.float32, torch.float64) else table.float()
    return torch.stack([row - row.mean() for row in table]) if table.numel() else table.clone()
