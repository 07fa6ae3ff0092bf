# earns: solved fast
# tiles of several rows at a time, in both kernels
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def forward_kernel(x, weight, y, scale, n, d, eps, rows: tl.constexpr, block: tl.constexpr):
    """One program for each tile of rows; scale gets r."""
    row = tl.program_id(0) * rows + tl.arange(0, rows)
    columns = tl.arange(0, block)
    mask = (row < n)[:, None] & (columns < d)[None, :]
    places = row[:, None] * d + columns[None, :]
    values = tl.load(x + places, mask=mask, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(values * values, axis=1) / d + eps)
    weights = tl.load(weight + columns, mask=columns < d, other=0.0).to(tl.float32)
    tl.store(y + places, values * r[:, None] * weights[None, :], mask=mask)
    tl.store(scale + row, r, mask=row < n)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, rows: tl.constexpr, block: tl.constexpr):
    """One program for each tile of rows, and a row of parts for each program."""
    program = tl.program_id(0)
    row = program * rows + tl.arange(0, rows)
    columns = tl.arange(0, block)
    mask = (row < n)[:, None] & (columns < d)[None, :]
    places = row[:, None] * d + columns[None, :]
    weights = tl.load(weight + columns, mask=columns < d, other=0.0).to(tl.float32)
    r = tl.load(scale + row, mask=row < n, other=0.0)
    h = tl.load(x + places, mask=mask, other=0.0).to(tl.float32) * r[:, None]
    g = tl.load(gradient + places, mask=mask, other=0.0).to(tl.float32)
    weighted = g * weights[None, :]
    mean = tl.sum(weighted * h, axis=1) / d
    tl.store(grad_x + places, r[:, None] * (weighted - h * mean[:, None]), mask=mask)
    tl.store(parts + program * d + columns, tl.sum(g * h, axis=0), mask=columns < d)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    ROWS = 8

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        x, weight = x.contiguous(), weight.contiguous()
        y = torch.empty_like(x)
        scale = torch.empty(n, dtype=torch.float32, device=x.device)
        grid = (triton.cdiv(n, RMSNorm.ROWS),)
        forward_kernel[grid](x, weight, y, scale, n, d, eps, RMSNorm.ROWS, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        grad_x = torch.empty_like(x)
        programs = triton.cdiv(n, RMSNorm.ROWS)
        parts = torch.empty((programs, d), dtype=torch.float32, device=x.device)
        backward_kernel[(programs,)](
            x, weight, scale, gradient.contiguous(), grad_x, parts, n, d, RMSNorm.ROWS, triton.next_power_of_2(d)
        )
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
