# earns: solved
# a fixed number of programs that stride through the blocks
"""Add two tensors with a Triton kernel."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 256
"""How many elements one program adds; a power of two."""


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    program = tl.program_id(0)
    for number in range(program, tl.cdiv(n, block), tl.num_programs(0)):
        offsets = number * block + tl.arange(0, block)
        inside = offsets < n
        left = tl.load(x + offsets, mask=inside, other=0)
        right = tl.load(y + offsets, mask=inside, other=0)
        tl.store(out + offsets, left + right, mask=inside)


def add(x: Tensor, y: Tensor) -> Tensor:
    flat = [tensor.contiguous().view(-1) for tensor in (x, y)]
    out = torch.empty_like(flat[0])
    if out.numel() > 0:
        programs = min(8, triton.cdiv(out.numel(), BLOCK))
        add_kernel[(programs,)](flat[0], flat[1], out, out.numel(), BLOCK)
    return out.view(x.shape)
