# earns: solved
# a kernel over rows and columns that is given the strides, for tensors with any number of axes by folding; only what
# cannot be folded is copied
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 256
"""How many elements one program adds; a power of two."""


@triton.jit
def add_kernel(x, y, out, rows, columns, xr, xc, yr, yc, block: tl.constexpr):
    row = tl.program_id(0)
    places = tl.program_id(1) * block + tl.arange(0, block)
    mask = places < columns
    a = tl.load(x + row * xr + places * xc, mask=mask)
    b = tl.load(y + row * yr + places * yc, mask=mask)
    tl.store(out + row * columns + places, a + b, mask=mask)


def _matrix(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1, tensor.shape[-1]) if tensor.dim() else tensor.reshape(1, 1)


def add(x: Tensor, y: Tensor) -> Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.numel() == 0:
        return out
    left, right = _matrix(x), _matrix(y)
    rows, columns = left.shape
    grid = (rows, triton.cdiv(columns, BLOCK))
    add_kernel[grid](left, right, out, rows, columns, *left.stride(), *right.stride(), block=BLOCK)
    return out
