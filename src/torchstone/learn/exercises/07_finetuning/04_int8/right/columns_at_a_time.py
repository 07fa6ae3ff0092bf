# earns: solved lean
# walks over the columns of the matrix and adds up; scales once at the end; the bias is a parameter; checkpointed when
# x wants a gradient
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    exact = weight.detach().double()
    largest = exact.abs().amax(dim=-1)
    step = (largest / 127.0).float()
    step[step == 0] = 1.0
    return torch.round(exact / step.double()[:, None]).clamp(min=-127, max=127).char(), step


def _partial(x: Tensor, columns: Tensor) -> Tensor:
    return x @ columns.to(x.dtype).t()


class Int8Linear(nn.Module):
    whole: Tensor
    step: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        for name, tensor in zip(("whole", "step"), quantize_rows(linear.weight)):
            self.register_buffer(name, tensor)
        if linear.bias is None:
            self.register_parameter("bias", None)
        else:
            self.bias = nn.Parameter(linear.bias.detach().clone(), requires_grad=linear.bias.requires_grad)

    def forward(self, x: Tensor) -> Tensor:
        inner = torch.promote_types(x.dtype, torch.float32)
        wide = x.to(inner)
        width = max(1, self.whole.shape[1] // 8)
        total = wide.new_zeros(*x.shape[:-1], self.whole.shape[0])
        for start in range(0, self.whole.shape[1], width):
            part, columns = wide[..., start : start + width], self.whole[:, start : start + width]
            if torch.is_grad_enabled() and x.requires_grad:
                total = total + checkpoint(_partial, part, columns, use_reentrant=False)
            else:
                total += _partial(part, columns)
        total = total * self.step.to(inner)
        if self.bias is not None:
            total = total + self.bias.to(inner)
        return total.to(x.dtype)
