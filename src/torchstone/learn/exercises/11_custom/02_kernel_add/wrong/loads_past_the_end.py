# rejected by: sums_are_right: The last block usually reaches past the end:
# the last program loads beyond the end, only the store is masked
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
    total = tl.load(x + offsets) + tl.load(y + offsets)
    tl.store(out + offsets, total, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n > 0:
        add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK)
    return out
