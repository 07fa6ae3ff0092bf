# earns: solved lean
# the output is filled piece by piece with functional.linear, the bias a parameter
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    table = weight.detach().to(torch.float32)
    step = torch.linalg.vector_norm(table, ord=float("inf"), dim=1).div(127)
    step = step.masked_fill(step == 0, 1.0)
    return torch.round(table.div(step.unsqueeze(1))).clip(-127, 127).to(dtype=torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        for name, buffer in zip(("whole", "step"), quantize_rows(linear.weight)):
            self.register_buffer(name, buffer)
        bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone(), requires_grad=False)
        self.register_parameter("bias", bias)

    def forward(self, x: Tensor) -> Tensor:
        dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        signal, pieces = x.to(dtype), []
        size = -(-self.whole.shape[0] // 6)
        for begin in range(0, self.whole.shape[0], size):
            place = slice(begin, begin + size)
            weight = self.whole[place].to(dtype).mul_(self.step[place, None].to(dtype))
            bias = None if self.bias is None else self.bias[place].to(dtype)
            pieces.append(functional.linear(signal, weight, bias).to(x.dtype))
            del weight
        return torch.cat(pieces, dim=-1)
