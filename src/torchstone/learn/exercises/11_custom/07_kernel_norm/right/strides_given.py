# earns: solved
# kernels that are given strides, a helper kernel, setup_context, one program a row
"""RMS norm as two Triton kernels that are given strides: nothing is copied, and each row is one program."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def load_row(base, row, step_row, step, d, block: tl.constexpr):
    """One row as float32, 0 beyond its end."""
    places = tl.arange(0, block)
    return tl.load(base + row * step_row + places * step, mask=places < d, other=0.0).to(tl.float32)


@triton.jit
def forward_kernel(x, x_row, x_step, weight, w_step, y, inverse, d, eps, block: tl.constexpr):
    row = tl.program_id(0)
    v = load_row(x, row, x_row, x_step, d, block)
    w = load_row(weight, 0, 0, w_step, d, block)
    r = 1.0 / tl.sqrt(tl.sum(v * v) * (1.0 / d) + eps)
    places = tl.arange(0, block)
    tl.store(y + row * d + places, (v * r * w).to(y.dtype.element_ty), mask=places < d)
    tl.store(inverse + row, r)


@triton.jit
def backward_kernel(
    x, x_row, x_step, weight, w_step, g, g_row, g_step, inverse, for_x, for_weight, d, block: tl.constexpr
):
    row = tl.program_id(0)
    r = tl.load(inverse + row)
    h = load_row(x, row, x_row, x_step, d, block) * r
    up = load_row(g, row, g_row, g_step, d, block)
    wide = up * load_row(weight, 0, 0, w_step, d, block)
    places = tl.arange(0, block)
    result = (wide - h * (tl.sum(wide * h) / d)) * r
    tl.store(for_x + row * d + places, result.to(for_x.dtype.element_ty), mask=places < d)
    tl.store(for_weight + row * d + places, up * h, mask=places < d)


class RMSNorm(torch.autograd.Function):
    """Launches the kernels."""

    @staticmethod
    def forward(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        n, d = x.shape
        y = x.new_empty((n, d))
        inverse = torch.empty((n,), dtype=torch.float32, device=x.device)
        grid = (n,)
        forward_kernel[grid](
            x, *x.stride(), weight, weight.stride(0), y, inverse, d, eps, block=triton.next_power_of_2(d)
        )
        return y, inverse

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0], inputs[1], output[1])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Any) -> tuple[Tensor, Tensor, None]:
        x, weight, inverse = ctx.saved_tensors
        n, d = x.shape
        for_x = x.new_empty((n, d))
        for_weight = torch.empty((n, d), dtype=torch.float32, device=x.device)
        backward_kernel[(n,)](
            x,
            *x.stride(),
            weight,
            weight.stride(0),
            gradient,
            *gradient.stride(),
            inverse,
            for_x,
            for_weight,
            d,
            block=triton.next_power_of_2(d),
        )
        return for_x, for_weight.sum(0).to(weight.dtype), None


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    """(n, d) and (d,) → (n, d): every row divided by its root mean square, times weight."""
    return RMSNorm.apply(x, weight, eps)[0]
