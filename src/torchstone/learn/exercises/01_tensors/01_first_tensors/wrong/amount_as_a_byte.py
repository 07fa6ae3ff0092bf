# rejected by: bytes_stop_at_their_ends: the result of brighten is
# amounts beyond 255 are taken modulo 256; 'adds a whole number, from −1,000 to 1,000'
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return image.permute(2, 0, 1).to(torch.float32) / 255


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    change = torch.tensor(abs(amount)).to(torch.uint8).to(image.device)
    if amount < 0:
        return image - torch.minimum(image, change)
    return image + torch.minimum(255 - image, change)


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    if not table.is_floating_point():
        table = table.to(torch.float32)
    return table - table.mean(dim=1, keepdim=True)
