# earns: solved lean
# result filled slice by slice, bias as a parameter, frexp-free steps
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    exact = weight.double()
    largest = exact.abs().max(dim=1).values
    step = torch.where(largest == 0, torch.full_like(largest, 127.0), largest).div(127).to(torch.float32)
    whole = torch.round(exact / step.double().unsqueeze(1))
    return torch.clamp(whole, -127, 127).to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    whole: Tensor
    step: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        for name, tensor in zip(("whole", "step"), quantize_rows(linear.weight)):
            self.register_buffer(name, tensor)
        bias = linear.bias
        self.bias = None if bias is None else nn.Parameter(bias.detach().clone(), requires_grad=bias.requires_grad)

    def forward(self, x: Tensor) -> Tensor:
        work = torch.float64 if x.dtype == torch.float64 else torch.float32
        flat = x.reshape(-1, x.shape[-1]).to(work)
        columns = []
        few = max(1, len(self.whole) // 8)
        for start in range(0, len(self.whole), few):
            rows = self.whole[start : start + few].to(work)
            rows *= self.step[start : start + few, None]
            columns.append(flat @ rows.T)
        result = torch.cat(columns, dim=1)
        if self.bias is not None:
            result = result + self.bias.to(work)
        return result.to(x.dtype).reshape(*x.shape[:-1], len(self.whole))
