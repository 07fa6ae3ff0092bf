# earns: solved
# the kernels are given the strides of x and of the gradient, nothing is made contiguous
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, d, eps, x0, x1, w0, block: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, block)
    mask = at < d
    a = tl.load(x + row * x0 + at * x1, mask=mask, other=0).to(tl.float32)
    w = tl.load(weight + at * w0, mask=mask, other=0).to(tl.float32)
    r = tl.rsqrt(tl.sum(a * a) / d + eps)
    tl.store(scale + row, r)
    tl.store(y + row * d + at, a * r * w, mask=mask)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, x0, x1, w0, g0, g1, block: tl.constexpr):
    program = tl.program_id(0)
    at = tl.arange(0, block)
    mask = at < d
    w = tl.load(weight + at * w0, mask=mask, other=0).to(tl.float32)
    summed = tl.zeros((block,), tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        r = tl.load(scale + row)
        h = r * tl.load(x + row * x0 + at * x1, mask=mask, other=0).to(tl.float32)
        g = tl.load(gradient + row * g0 + at * g1, mask=mask, other=0).to(tl.float32)
        summed += g * h
        g = g * w
        tl.store(grad_x + row * d + at, r * (g - h * (tl.sum(g * h) / d)), mask=mask)
    tl.store(parts + program * d + at, summed, mask=mask)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        y = torch.empty(n, d, dtype=x.dtype, device=x.device)
        scale = torch.empty(n, dtype=torch.float32, device=x.device)
        ctx.save_for_backward(x, weight, scale)
        if y.numel():
            block = triton.next_power_of_2(d)
            forward_kernel[(n,)](x, weight, y, scale, d, eps, *x.stride(), *weight.stride(), block=block)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        programs = min(max(n, 1), 16)
        grad_x = torch.empty(n, d, dtype=x.dtype, device=x.device)
        parts = torch.zeros(programs, d, dtype=torch.float32, device=x.device)
        if grad_x.numel():
            strides = *x.stride(), *weight.stride(), *gradient.stride()
            block = triton.next_power_of_2(d)
            backward_kernel[(programs,)](x, weight, scale, gradient, grad_x, parts, n, d, *strides, block=block)
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
