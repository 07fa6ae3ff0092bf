# rejected by: a_kernel_is_launched: The caller still needs what it handed in
# '`add(x, y)` returns `x + y`' and may not change x: contiguous() of a contiguous x is x itself, and the sum is
# stored there
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
    result = x.contiguous()
    n = result.numel()
    if n:
        add_kernel[(triton.cdiv(n, BLOCK),)](result, y.contiguous(), result, n, BLOCK)
    return result
