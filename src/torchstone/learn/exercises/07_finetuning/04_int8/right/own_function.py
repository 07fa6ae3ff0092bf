# earns: solved lean
# an autograd.Function that turns a few rows at a time into floats, forward and backward; torch.where-free steps
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        rows = weight.to(torch.promote_types(weight.dtype, torch.float32))
        step = (rows.abs().max(dim=1).values / 127).to(torch.float32)
        step = step.masked_fill(step == 0, torch.finfo(torch.float32).tiny)
        whole = torch.round(rows / step.to(rows.dtype).unsqueeze(1))
        return whole.clamp(-127, 127).to(torch.int8), step


def _pieces(count: int) -> list[slice]:
    size = max(1, count // 16)
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


class _Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, whole: Tensor, step: Tensor) -> Tensor:
        ctx.save_for_backward(whole, step)
        y = x.new_empty(*x.shape[:-1], len(whole))
        for piece in _pieces(len(whole)):
            y[..., piece] = x @ (whole[piece].to(x.dtype) * step[piece, None].to(x.dtype)).T
        return y

    @staticmethod
    def backward(ctx, gradient: Tensor):
        whole, step = ctx.saved_tensors
        result = gradient.new_zeros(*gradient.shape[:-1], whole.shape[1])
        for piece in _pieces(len(whole)):
            rows = whole[piece].to(gradient.dtype) * step[piece, None].to(gradient.dtype)
            result = result + gradient[..., piece] @ rows
        return result, None, None


class Int8Linear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        inner = x.double() if x.dtype == torch.float64 else x.float()
        y = _Multiply.apply(inner, self.whole, self.step)
        if self.bias is not None:
            y = y + self.bias.to(y.dtype)
        return y.to(x.dtype)
