# rejected by: strides_do_not_matter: A kernel walks through memory as it lies
# 'any strides': the result is laid out like x (empty_like), y is made contiguous, so transposed tensors are added
# crosswise
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
    offsets = tl.program_id(0) * block + tl.arange(0, block)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


def add(x: Tensor, y: Tensor) -> Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    if n:
        add_kernel[(triton.cdiv(n, BLOCK),)](x, y.contiguous(), out, n, BLOCK)
    return out
