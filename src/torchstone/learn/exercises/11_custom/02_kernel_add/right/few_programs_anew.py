# earns: solved
# eight programs at most that walk through the blocks; flat tensors
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 64
"""How many elements one program adds at a time; a power of two."""


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    """A few programs, each of which takes every so-many-th block."""
    first = tl.program_id(0) * block
    for begin in range(first, n, tl.num_programs(0) * block):
        places = begin + tl.arange(0, block)
        inside = places < n
        tl.store(out + places, tl.load(x + places, inside) + tl.load(y + places, inside), inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    flat = [tensor.reshape(-1).contiguous() for tensor in (x, y)]
    out = x.new_empty(x.numel())
    if len(out) > 0:
        programs = min(-(-len(out) // BLOCK), 8)
        add_kernel[(programs,)](*flat, out, len(out), BLOCK)
    return out.view(x.shape)
