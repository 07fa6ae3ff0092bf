# earns: solved
# at most eight programs, each of which walks through several blocks
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
    for number in range(tl.program_id(0), tl.cdiv(n, block), tl.num_programs(0)):
        offsets = number * block + tl.arange(0, block)
        inside = offsets < n
        left = tl.load(x + offsets, mask=inside)
        right = tl.load(y + offsets, mask=inside)
        tl.store(out + offsets, left + right, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n:
        add_kernel[(min(triton.cdiv(n, BLOCK), 8),)](x, y, out, n, BLOCK)
    return out
