# rejected by: half_precision_is_enough: The square of
# squares in the dtype of x; 'Load as float32 (`.to(tl.float32)`): the square of 300 is beyond float16'
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, x_row, x_column, d, eps, block: tl.constexpr):
    """One program for each row; scale gets r."""
    row = tl.program_id(0)
    places = tl.arange(0, block)
    inside = places < d
    values = tl.load(x + row * x_row + places * x_column, mask=inside, other=0.0)
    factors = tl.load(weight + places, mask=inside, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum((values * values).to(tl.float32), 0) / d + eps)
    tl.store(y + row * d + places, values * r * factors, mask=inside)
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(
    x, weight, scale, gradient, grad_x, parts, x_row, x_column, g_row, g_column, n, d, block: tl.constexpr
):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    places = tl.arange(0, block)
    inside = places < d
    factors = tl.load(weight + places, mask=inside, other=0.0).to(tl.float32)
    total = tl.zeros((block,), dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        values = tl.load(x + row * x_row + places * x_column, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(gradient + row * g_row + places * g_column, mask=inside, other=0.0).to(tl.float32)
        r = tl.load(scale + row)
        h = values * r
        scaled = g * factors
        mean = tl.sum(scaled * h, 0) / d
        tl.store(grad_x + row * d + places, r * (scaled - h * mean), mask=inside)
        total += g * h
    tl.store(parts + program * d + places, total, mask=inside)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        weight = weight.contiguous()
        y = torch.empty(n, d, dtype=x.dtype, device=x.device)
        scale = torch.empty(n, dtype=torch.float32, device=x.device)
        if n and d:
            forward_kernel[(n,)](x, weight, y, scale, x.stride(0), x.stride(1), d, eps, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        grad_x = torch.empty(n, d, dtype=x.dtype, device=x.device)
        programs = min(n, 128)
        parts = torch.empty(programs, d, dtype=torch.float32, device=x.device)
        if n and d:
            backward_kernel[(programs,)](
                x,
                weight,
                scale,
                gradient,
                grad_x,
                parts,
                x.stride(0),
                x.stride(1),
                gradient.stride(0),
                gradient.stride(1),
                n,
                d,
                triton.next_power_of_2(d),
            )
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
