# rejected by: summed_results_have_gradients: The gradient of y.sum() is one number with strides of
# takes the gradient for contiguous: that of y.sum() has strides of 0 and one number; breaks 'the gradient that
# comes in need not be contiguous'
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
    places = tl.arange(0, block)
    inside = places < d
    values = tl.load(x + row * d + places, mask=inside, other=0.0).to(tl.float32)
    factors = tl.load(weight + places, mask=inside, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(values * values, axis=0) / d + eps)
    tl.store(y + row * d + places, values * r * factors, mask=inside)
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, block: tl.constexpr):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    places = tl.arange(0, block)
    inside = places < d
    factors = tl.load(weight + places, mask=inside, other=0.0).to(tl.float32)
    total = tl.zeros((block,), dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        r = tl.load(scale + row)
        h = tl.load(x + row * d + places, mask=inside, other=0.0).to(tl.float32) * r
        g = tl.load(gradient + row * d + places, mask=inside, other=0.0).to(tl.float32)
        total += g * h
        g = g * factors
        mean = tl.sum(g * h, axis=0) / d
        tl.store(grad_x + row * d + places, r * (g - h * mean), mask=inside)
    tl.store(parts + program * d + places, total, mask=inside)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        x, weight = x.contiguous(), weight.contiguous()
        y = torch.empty_like(x)
        scale = torch.empty(n, device=x.device, dtype=torch.float32)
        forward_kernel[(n,)](x, weight, y, scale, d, eps, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        programs = min(n, 16)
        grad_x = torch.empty_like(x)
        parts = torch.empty(programs, d, device=x.device, dtype=torch.float32)
        backward_kernel[(programs,)](x, weight, scale, gradient, grad_x, parts, n, d, triton.next_power_of_2(d))
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
