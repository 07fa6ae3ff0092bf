# rejected by: half_precision_does_not_overflow: Only the output must fit into float16
# the bias is brought to float16 before it is added; 'nothing on the way may overflow where the output does not'
"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn

LARGEST = 127
"""int8 goes from −128 to 127; a symmetric scale leaves −128 unused."""
PARTS = 8
"""The forward pass has this share of the matrix in floats at one time."""


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    wide = weight.detach().float()
    step = wide.abs().amax(dim=1) / LARGEST
    # A row of zeros has the step 0, and 0 / 0 is NaN: any other step gives its zeros.
    step = step.masked_fill(step == 0, 1)
    return (wide / step[:, None]).round().to(torch.int8), step


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        whole, step = quantize_rows(linear.weight)
        self.register_buffer("whole", whole)
        self.register_buffer("step", step)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        rows = -(-len(self.whole) // PARTS)
        # Sums of whole numbers times x are large: float16 would overflow.
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        y = torch.cat([wide @ part.to(wide.dtype).mT for part in self.whole.split(rows)], dim=-1)
        # The step is one factor for each output: it is cheaper there than on the matrix.
        y = y * self.step
        return y.to(x.dtype) if self.bias is None else (y + self.bias.to(x.dtype)).to(x.dtype)
