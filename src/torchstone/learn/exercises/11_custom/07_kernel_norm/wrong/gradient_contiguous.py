# rejected by: summed_results_have_gradients: The gradient of y.sum() is one number with strides of 0: make it
# "the gradient that comes in, need not be contiguous: that of `y.sum()` has strides of 0": read as if it were,
# outside of its memory
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, d, eps, x_row, x_col, w_col, block: tl.constexpr):
    """One program for each row; scale gets r."""
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, block)
    inside = at < d
    values = tl.load(x + row * x_row + at * x_col, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + at * w_col, mask=inside, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(values * values, 0) / d + eps)
    tl.store(y + row * d + at, (values * r * w).to(y.dtype.element_ty), mask=inside)
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(
    x, weight, scale, gradient, grad_x, parts, n, d, x_row, x_col, w_col, g_row, g_col, block: tl.constexpr
):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    at = tl.arange(0, block)
    inside = at < d
    w = tl.load(weight + at * w_col, mask=inside, other=0.0).to(tl.float32)
    mine = tl.zeros([block], dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        values = tl.load(x + row * x_row + at * x_col, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(gradient + row * d + at, mask=inside, other=0.0).to(tl.float32)
        r = tl.load(scale + row)
        h = values * r
        gw = g * w
        result = r * (gw - h * (tl.sum(gw * h, 0) / d))
        tl.store(grad_x + row * d + at, result.to(grad_x.dtype.element_ty), mask=inside)
        mine += g * h
    tl.store(parts + program * d + at, mine, mask=inside)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        y = torch.empty(n, d, dtype=x.dtype, device=x.device)
        scale = torch.empty(n, device=x.device)
        if n and d:
            block = triton.next_power_of_2(d)
            forward_kernel[(n,)](x, weight, y, scale, d, eps, *x.stride(), *weight.stride(), block)
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        grad_x = torch.empty(n, d, dtype=x.dtype, device=x.device)
        programs = min(n, 128)
        parts = torch.empty(programs, d, device=x.device)
        if n and d:
            block = triton.next_power_of_2(d)
            strides = (*x.stride(), *weight.stride(), *gradient.stride())
            backward_kernel[(programs,)](x, weight, scale, gradient, grad_x, parts, n, d, *strides, block)
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
