# earns: solved fast
# strides are handed to the kernels instead of contiguous copies, and programs walk over rows in both
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, n, d, eps, down, across, step, block: tl.constexpr):
    """Each program takes every so-many-th row; scale gets r."""
    columns = tl.arange(0, block)
    mask = columns < d
    weights = tl.load(weight + columns * step, mask=mask, other=0.0).to(tl.float32)
    for row in range(tl.program_id(0), n, tl.num_programs(0)):
        values = tl.load(x + row * down + columns * across, mask=mask, other=0.0).to(tl.float32)
        r = tl.rsqrt(tl.sum(values * values, axis=0) / d + eps)
        tl.store(y + row * d + columns, values * r * weights, mask=mask)
        tl.store(scale + row, r)


@triton.jit
def backward_kernel(
    x, weight, scale, gradient, grad_x, parts, n, d, down, across, step, g_down, g_across, block: tl.constexpr
):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    columns = tl.arange(0, block)
    mask = columns < d
    weights = tl.load(weight + columns * step, mask=mask, other=0.0).to(tl.float32)
    total = tl.zeros((block,), dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        r = tl.load(scale + row)
        h = tl.load(x + row * down + columns * across, mask=mask, other=0.0).to(tl.float32) * r
        g = tl.load(gradient + row * g_down + columns * g_across, mask=mask, other=0.0).to(tl.float32)
        total += g * h
        g = g * weights
        tl.store(grad_x + row * d + columns, r * (g - h * (tl.sum(g * h, axis=0) / d)), mask=mask)
    tl.store(parts + program * d + columns, total, mask=mask)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        y = torch.empty((n, d), dtype=x.dtype, device=x.device)
        scale = torch.empty(n, dtype=torch.float32, device=x.device)
        forward_kernel[(min(n, 64),)](
            x, weight, y, scale, n, d, eps, x.stride(0), x.stride(1), weight.stride(0), triton.next_power_of_2(d)
        )
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        grad_x = torch.empty((n, d), dtype=x.dtype, device=x.device)
        parts = torch.empty((min(n, 64), d), dtype=torch.float32, device=x.device)
        strides = *x.stride(), weight.stride(0), *gradient.stride()
        backward_kernel[(len(parts),)](
            x, weight, scale, gradient, grad_x, parts, n, d, *strides, triton.next_power_of_2(d)
        )
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
