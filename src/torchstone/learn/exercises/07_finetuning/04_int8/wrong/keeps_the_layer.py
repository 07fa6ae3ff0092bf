# rejected by: a_quarter_of_the_bytes: The float weight is still somewhere in the layer
# 'and no float copy of the weight': the original layer stays as a submodule, for its bias
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    exact = weight.detach().float()
    step = exact.abs().amax(1) / 127
    step = torch.where(step > 0, step, torch.ones_like(step))
    whole = (exact / step[:, None]).round().clamp(-127, 127).to(torch.int8)
    return whole, step


class Int8Linear(nn.Module):
    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.linear = linear
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.cat([x.float() @ w.float().T for w in self.whole.chunk(8)], -1) * self.step
        if self.linear.bias is not None:
            y = y + self.linear.bias
        return y.to(x.dtype)
