# earns: solved
# each program walks through several blocks, a program count apart
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 256
"""How many elements one program adds at a time; a power of two."""
TURNS = 2
"""How many blocks one program adds."""


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr, turns: tl.constexpr):
    """x, y and out are addresses, n is the number of elements."""
    offsets = tl.program_id(0) * block * turns + tl.arange(0, block)
    for _ in range(turns):
        mine = offsets < n
        one = tl.load(x + offsets, mask=mine, other=0)
        other = tl.load(y + offsets, mask=mine, other=0)
        tl.store(out + offsets, one + other, mask=mine)
        offsets += block


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    flat_x, flat_y = x.reshape(-1), y.reshape(-1)
    flat_x = flat_x if flat_x.is_contiguous() else flat_x.clone(memory_format=torch.contiguous_format)
    flat_y = flat_y if flat_y.is_contiguous() else flat_y.clone(memory_format=torch.contiguous_format)
    out = flat_x.new_empty(flat_x.shape)
    n = out.numel()
    if n:
        add_kernel[(triton.cdiv(n, BLOCK * TURNS),)](flat_x, flat_y, out, n, BLOCK, TURNS)
    return out.view(x.shape)
