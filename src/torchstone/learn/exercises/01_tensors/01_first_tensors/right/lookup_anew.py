# earns: solved
# planes stacked, brightness by a table of 256 bytes, means subtracted by promotion
"""Mend three functions whose dtypes and shapes are wrong."""

import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    """(height, width, 3) bytes → (3, height, width) float32 between 0 and 1."""
    return torch.stack(image.unbind(-1)).to(torch.float32).div_(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    """Add `amount` to each byte, and stop at 0 and at 255."""
    answers = [min(max(byte + amount, 0), 255) for byte in range(256)]
    return torch.tensor(answers, dtype=torch.uint8, device=image.device)[image.long()]


def center_rows(table: Tensor) -> Tensor:
    """Each row minus its own mean."""
    numbers = table.to(torch.promote_types(table.dtype, torch.float32))
    return numbers.sub(numbers.mean(1).unsqueeze(1))
