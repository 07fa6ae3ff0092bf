# earns: solved
# each program works on a tile of several rows at once
"""RMS norm as two Triton kernels: forward and backward."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS = 8


@triton.jit
def forward_kernel(x, weight, y, scale, n, d, eps, rows: tl.constexpr, block: tl.constexpr):
    lines = tl.program_id(0) * rows + tl.arange(0, rows)
    columns = tl.arange(0, block)
    places = lines[:, None] * d + columns[None, :]
    mask = (lines[:, None] < n) & (columns[None, :] < d)
    tile = tl.load(x + places, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + columns, mask=columns < d, other=0.0).to(tl.float32)
    r = 1.0 / tl.sqrt(tl.sum(tile * tile, axis=1) / d + eps)
    tl.store(scale + lines, r, mask=lines < n)
    tl.store(y + places, tile * r[:, None] * w[None, :], mask=mask)


@triton.jit
def backward_kernel(x, weight, scale, gradient, grad_x, parts, n, d, rows: tl.constexpr, block: tl.constexpr):
    program = tl.program_id(0)
    lines = program * rows + tl.arange(0, rows)
    columns = tl.arange(0, block)
    places = lines[:, None] * d + columns[None, :]
    mask = (lines[:, None] < n) & (columns[None, :] < d)
    w = tl.load(weight + columns, mask=columns < d, other=0.0).to(tl.float32)
    r = tl.load(scale + lines, mask=lines < n, other=0.0)[:, None]
    h = tl.load(x + places, mask=mask, other=0.0).to(tl.float32) * r
    g = tl.load(gradient + places, mask=mask, other=0.0).to(tl.float32)
    gw = g * w[None, :]
    mean = tl.sum(gw * h, axis=1) / d
    tl.store(grad_x + places, r * (gw - h * mean[:, None]), mask=mask)
    tl.store(parts + program * d + columns, tl.sum(g * h, axis=0), mask=columns < d)


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        n, d = x.shape
        x, weight = x.contiguous(), weight.contiguous()
        y = torch.empty_like(x)
        scale = torch.empty(n, device=x.device)
        if n and d:
            grid = (triton.cdiv(n, ROWS),)
            forward_kernel[grid](x, weight, y, scale, n, d, eps, ROWS, triton.next_power_of_2(d))
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, scale = ctx.saved_tensors
        n, d = x.shape
        gradient = gradient.contiguous()
        grad_x = torch.empty_like(x)
        programs = triton.cdiv(n, ROWS)
        parts = torch.zeros(max(programs, 1), d, device=x.device)
        if n and d:
            backward_kernel[(programs,)](
                x, weight, scale, gradient, grad_x, parts, n, d, ROWS, triton.next_power_of_2(d)
            )
        return grad_x, parts.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)
