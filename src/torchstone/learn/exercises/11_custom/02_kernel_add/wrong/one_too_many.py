# rejected by: sums_are_right: The last block usually reaches past the end
# '`offsets < n`': offsets <= n touches one element past the end
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
    mask = offsets <= n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n:
        add_kernel[(triton.cdiv(n, BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK)
    return out
