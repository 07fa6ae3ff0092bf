# earns: solved
# pointers to the row first, where instead of other, fewer programs that stride over the rows
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, d, eps, block: tl.constexpr):
    """One program for each row; scale gets r."""
    row = tl.program_id(0)
    columns = tl.arange(0, block)
    mask = columns < d
    begin = row * d
    loaded = tl.load(x + begin + columns, mask=mask, other=0.0)
    values = loaded.to(tl.float32)
    squares = tl.where(mask, values * values, 0.0)
    r = tl.rsqrt(tl.sum(squares, axis=0) / d + eps)
    weights = tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(y + begin + columns, (values * (r * weights)).to(loaded.dtype), mask=mask)
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, block: tl.constexpr):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    columns = tl.arange(0, block)
    mask = columns < d
    weights = tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
    total = tl.zeros((block,), dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        values = tl.load(x + row * d + columns, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(gradient + row * d + columns, mask=mask, other=0.0).to(tl.float32)
        r = tl.load(scale + row)
        h = values * r
        gw = g * weights
        total = total + g * h
        inner = tl.sum(tl.where(mask, gw * h, 0.0), axis=0)
        tl.store(grad_x + row * d + columns, r * gw - r * h * (inner / d), mask=mask)
    tl.store(parts + program * d + columns, total, mask=mask)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        x, weight = x.contiguous(), weight.contiguous()
        y = torch.empty_like(x)
        scale = torch.empty(n, device=x.device)
        if n and d:
            forward_kernel[(n,)](x, weight, y, scale, d, eps, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        gradient = gradient.contiguous()
        n, d = x.shape
        grad_x = torch.empty_like(x)
        programs = max(1, min(n, 48)) if n else 0
        parts = torch.empty(programs, d, device=x.device)
        if n and d:
            backward_kernel[(programs,)](x, weight, scale, gradient, grad_x, parts, n, d, triton.next_power_of_2(d))
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
