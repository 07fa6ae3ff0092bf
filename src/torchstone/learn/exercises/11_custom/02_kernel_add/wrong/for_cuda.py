# rejected by: other_devices_work_too: The result lies where the inputs lie
# 'nothing may be fixed to one kind of device': the result is made on CUDA where there is one, else on the CPU
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
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, y = x.to(device).contiguous(), y.to(device).contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=device)
    n = x.numel()
    if n:
        add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK)
    return out
