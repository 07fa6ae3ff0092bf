# earns: solved
# a fixed number of programs, each of which takes several blocks in a loop
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 128
PROGRAMS = 8


@triton.jit
def add_kernel(x, y, out, n, rounds, block: tl.constexpr):
    """x, y and out are addresses, n is the number of elements; a program adds `rounds` blocks."""
    start = tl.program_id(0) * rounds * block
    for turn in range(rounds):
        offsets = start + turn * block + tl.arange(0, block)
        inside = offsets < n
        left = tl.load(x + offsets, mask=inside)
        right = tl.load(y + offsets, mask=inside)
        tl.store(out + offsets, left + right, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    n = x.numel()
    if n:
        programs = min(PROGRAMS, triton.cdiv(n, BLOCK))
        add_kernel[(programs,)](x, y, out, n, triton.cdiv(n, BLOCK * programs), BLOCK)
    return out
