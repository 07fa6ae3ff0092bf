# earns: solved lean
# an output that is filled block by block with einsum, the step applied after the product
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    exact = weight.detach().to(torch.float64)
    step = (torch.linalg.vector_norm(exact, ord=float("inf"), dim=1) / 127).float()
    step.masked_fill_(step == 0, 1.0)
    whole = torch.round(exact / step.double().unsqueeze(1)).clamp_(-127, 127)
    return whole.char(), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        for name, value in zip(("whole", "step"), quantize_rows(linear.weight), strict=True):
            self.register_buffer(name, value)
        bias = linear.bias
        self.register_parameter("bias", bias if bias is None else nn.Parameter(bias.detach().clone()))

    def forward(self, x: Tensor) -> Tensor:
        size = -(-self.whole.shape[0] // 8)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        pieces = []
        for begin in range(0, self.whole.shape[0], size):
            block = slice(begin, begin + size)
            piece = torch.einsum("...i,oi->...o", wide, self.whole[block].to(wide.dtype)) * self.step[block]
            if self.bias is not None:
                piece = piece + self.bias[block]
            pieces.append(piece.to(x.dtype))
        return torch.cat(pieces, dim=-1)
