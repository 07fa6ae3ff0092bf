# earns: solved
# kernels that get strides, one program a row in both directions
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, x_row, x_column, weight, w_step, y, scale, d, eps, block: tl.constexpr):
    """One program for each row, read where it lies."""
    row = tl.program_id(0)
    column = tl.arange(0, block)
    here = column < d
    values = tl.load(x + row * x_row + column * x_column, mask=here, other=0).to(tl.float32)
    r = tl.rsqrt(tl.sum(values * values) / d + eps)
    w = tl.load(weight + column * w_step, mask=here, other=0).to(tl.float32)
    tl.store(y + row * d + column, (values * r * w).to(y.dtype.element_ty), mask=here)
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(
    x, x_row, x_column, weight, w_step, scale, g, g_row, g_column, grad_x, grad_w, d, block: tl.constexpr
):
    """One program and one row of grad_w for each row."""
    row = tl.program_id(0)
    column = tl.arange(0, block)
    here = column < d
    r = tl.load(scale + row)
    h = r * tl.load(x + row * x_row + column * x_column, mask=here, other=0).to(tl.float32)
    gradient = tl.load(g + row * g_row + column * g_column, mask=here, other=0).to(tl.float32)
    w = tl.load(weight + column * w_step, mask=here, other=0).to(tl.float32)
    tl.store(grad_w + row * d + column, gradient * h, mask=here)
    gw = gradient * w
    result = r * (gw - h * (tl.sum(gw * h) / d))
    tl.store(grad_x + row * d + column, result.to(grad_x.dtype.element_ty), mask=here)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        y = x.new_empty(n, d)
        scale = x.new_empty(n, dtype=torch.float32)
        block = triton.next_power_of_2(d)
        forward_kernel[(n,)](x, *x.stride(), weight, weight.stride(0), y, scale, d, eps, block)
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        grad_x = x.new_empty(n, d)
        rows = x.new_empty(n, d, dtype=torch.float32)
        backward_kernel[(n,)](
            x,
            *x.stride(),
            weight,
            weight.stride(0),
            scale,
            gradient,
            *gradient.stride(),
            grad_x,
            rows,
            d,
            triton.next_power_of_2(d),
        )
        return grad_x, rows.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
