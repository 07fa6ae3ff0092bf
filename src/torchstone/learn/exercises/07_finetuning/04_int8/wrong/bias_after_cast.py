# rejected by: half_precision_does_not_overflow: Only the output must fit into float16
# the product is brought to float16 before the bias is added, and may overflow where the sum does not; 'nothing on the
# way may overflow where the output does not'
import torch
from torch import nn
from torch.nn import functional


def quantize_rows(weight):
    weight = weight.detach().float()
    step = weight.abs().amax(dim=1).div(127)
    step = step.masked_fill(step == 0, 1)
    return (weight / step[:, None]).round().to(torch.int8), step


class Int8Linear(nn.Module):
    def __init__(self, linear):
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())

    def forward(self, x):
        wide = x.double() if x.dtype == torch.float64 else x.float()
        out = []
        for k in range(0, len(self.whole), 24):
            rows = self.whole[k : k + 24].to(wide.dtype)
            out.append(functional.linear(wide, rows).mul(self.step[k : k + 24]))
        result = torch.cat(out, -1).to(x.dtype)
        if self.bias is not None:
            result = result + self.bias.to(x.dtype)
        return result
