# rejected by: whole_rows_at_once: A program should load
# goes through each row 32 numbers at a time; "at most twice the time of a kernel that has a program work on whole rows"
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, d, eps, block: tl.constexpr):
    """One program for each row, which it goes through a few numbers at a time."""
    row = tl.program_id(0)
    few = tl.arange(0, 32)
    squares = 0.0
    for start in range(0, d, 32):
        columns = start + few
        values = tl.load(x + row * d + columns, mask=columns < d, other=0.0).to(tl.float32)
        squares += tl.sum(values * values)
    r = 1.0 / tl.sqrt(squares / d + eps)
    tl.store(scale + row, r)
    for start in range(0, d, 32):
        columns = start + few
        values = tl.load(x + row * d + columns, mask=columns < d, other=0.0).to(tl.float32)
        w = tl.load(weight + columns, mask=columns < d, other=0.0).to(tl.float32)
        tl.store(y + row * d + columns, (values * r * w).to(y.dtype.element_ty), mask=columns < d)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, block: tl.constexpr):
    """Each program takes every so-many-th row, and has one row of parts for its sum over them."""
    program = tl.program_id(0)
    columns = tl.arange(0, block)
    mask = columns < d
    w = tl.load(weight + columns, mask=mask, other=0.0).to(tl.float32)
    total = tl.zeros((block,), dtype=tl.float32)
    for row in range(program, n, tl.num_programs(0)):
        r = tl.load(scale + row)
        h = tl.load(x + row * d + columns, mask=mask, other=0.0).to(tl.float32) * r
        g = tl.load(gradient + row * d + columns, mask=mask, other=0.0).to(tl.float32)
        total += g * h
        gw = g * w
        mean = tl.sum(gw * h) / d
        tl.store(grad_x + row * d + columns, (r * (gw - h * mean)).to(grad_x.dtype.element_ty), mask=mask)
    tl.store(parts + program * d + columns, total, mask=mask)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        x, weight = x.contiguous(), weight.contiguous()
        y = torch.empty_like(x)
        scale = torch.empty(n, device=x.device)
        forward_kernel[(n,)](x, weight, y, scale, d, eps, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        programs = min(n, 16)
        grad_x = torch.empty_like(x)
        parts = torch.empty(programs, d, device=x.device)
        block = triton.next_power_of_2(d)
        backward_kernel[(programs,)](x, weight, scale, gradient.contiguous(), grad_x, parts, n, d, block)
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
