# earns: solved
# contiguous copies, a grid that is a function
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
    places = tl.program_id(0) * block + tl.arange(0, block)
    mine = places < n
    left = tl.load(x + places, mask=mine)
    right = tl.load(y + places, mask=mine)
    tl.store(out + places, left + right, mask=mine)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    if n:
        add_kernel[lambda meta: (triton.cdiv(n, meta["block"]),)](x, y, out, n, block=BLOCK)
    return out
