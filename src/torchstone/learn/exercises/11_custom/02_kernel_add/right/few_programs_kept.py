# earns: solved
# a fixed number of programs that loop, adding in place into a copy
"""Add two tensors with a Triton kernel: a few programs, each of which walks through the tensors in strides."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024
PROGRAMS = 8


@triton.jit
def add_kernel(out, x, n, block: tl.constexpr):
    """Adds x to what is in out."""
    step = tl.num_programs(0) * block
    for start in range(tl.program_id(0) * block, n, step):
        places = start + tl.arange(0, block)
        more = tl.load(x + places, mask=places < n, other=0)
        tl.store(out + places, tl.load(out + places, mask=places < n, other=0) + more, mask=places < n)


def add(x: Tensor, y: Tensor) -> Tensor:
    """x + y for two tensors of one shape, dtype and device."""
    out = torch.empty(y.shape, dtype=y.dtype, device=y.device).copy_(y)
    plain = x if x.is_contiguous() else torch.empty_like(out).copy_(x)
    count = out.numel()
    if count == 0:
        return out
    add_kernel[min(PROGRAMS, triton.cdiv(count, BLOCK)),](out, plain, count, block=BLOCK)
    return out
