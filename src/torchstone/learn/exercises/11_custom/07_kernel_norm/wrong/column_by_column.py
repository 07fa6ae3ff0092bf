# rejected by: whole_rows_at_once: leaves it idle
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS = 4
"""For each program of the backward kernel: it adds up their part in the gradient of the weight by itself."""


@triton.jit
def forward_kernel(x, weight, y, scale, d, eps, block: tl.constexpr):
    """One program for each row; scale gets r."""
    row = tl.program_id(0)
    total = 0.0
    for column in range(d):
        value = tl.load(x + row * d + column).to(tl.float32)
        total += value * value
    r = 1 / tl.sqrt(total / d + eps)
    for column in range(d):
        value = tl.load(x + row * d + column).to(tl.float32)
        tl.store(y + row * d + column, value * r * tl.load(weight + column).to(tl.float32))
    tl.store(scale + row, r)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, block: tl.constexpr):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    columns = tl.arange(0, block)
    inside = columns < d
    weights = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    part = tl.zeros((block,), tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        r = tl.load(scale + row)
        h = tl.load(x + row * d + columns, mask=inside, other=0.0).to(tl.float32) * r
        g = tl.load(gradient + row * d + columns, mask=inside, other=0.0).to(tl.float32)
        part += g * h
        mean = tl.sum(g * weights * h, 0) / d
        tl.store(grad_x + row * d + columns, r * (g * weights - h * mean), mask=inside)
    tl.store(parts + program * d + columns, part, mask=inside)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        x, weight = x.contiguous(), weight.contiguous()
        n, d = x.shape
        y = torch.empty_like(x)
        scale = torch.empty(n, device=x.device)
        forward_kernel[(n,)](x, weight, y, scale, d, eps, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        programs = triton.cdiv(n, ROWS)
        grad_x = torch.empty_like(x)
        parts = torch.empty(programs, d, device=x.device)
        backward_kernel[(programs,)](
            x, weight, scale, gradient.contiguous(), grad_x, parts, n, d, triton.next_power_of_2(d)
        )
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
