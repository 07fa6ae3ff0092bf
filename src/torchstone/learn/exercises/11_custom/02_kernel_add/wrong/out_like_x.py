# rejected by: strides_do_not_matter: A kernel walks through memory as it lies:
# the result has the strides of x, but is filled in the order of contiguous tensors
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 256
"""How many elements one program adds; a power of two."""


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    """x, y and out are addresses, n is the number of elements."""
    program = tl.program_id(0)
    offsets = program * block + tl.arange(0, block)
    inside = offsets < n
    total = tl.load(x + offsets, mask=inside) + tl.load(y + offsets, mask=inside)
    tl.store(out + offsets, total, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    out = torch.empty_like(x)
    x, y = x.contiguous(), y.contiguous()
    n = x.numel()
    if n > 0:
        add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK)
    return out
