# earns: solved
# a kernel that gets the strides of a table and one program for each piece of a row
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 64
"""How many elements one program adds; a power of two."""


@triton.jit
def add_kernel(x, y, out, columns, x_row, x_column, y_row, y_column, block: tl.constexpr):
    """Each program adds one piece of one row of a table."""
    row = tl.program_id(0)
    column = tl.program_id(1) * block + tl.arange(0, block)
    inside = column < columns
    left = tl.load(x + row * x_row + column * x_column, mask=inside, other=0)
    right = tl.load(y + row * y_row + column * y_column, mask=inside, other=0)
    tl.store(out + row * columns + column, left + right, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    width = x.shape[-1] if x.dim() else 1
    left, right = (one if one.dim() == 2 else one.reshape(-1, width) for one in (x, y))
    grid = (out.numel() // width, triton.cdiv(width, BLOCK))
    add_kernel[grid](left, right, out, width, *left.stride(), *right.stride(), block=BLOCK)
    return out
