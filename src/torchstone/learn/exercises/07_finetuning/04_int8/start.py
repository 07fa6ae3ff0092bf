"""Store a linear layer's weight in int8, with one step for each row."""

import torch
from torch import Tensor, nn


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) floats → (out, in) int8 and (out,) float32, with weight ≈ step[:, None] * whole."""
    # TODO: one step for each row, not one for all; whole numbers by rounding; rows of zeros
    step = weight.abs().max() / 127
    return (weight / step).to(torch.int8), step.expand(len(weight))


class Int8Linear(nn.Module):
    """A linear layer whose weight is stored in 8 bits."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        # TODO: keep `whole` and `step` as buffers, and the bias
        self.linear = linear

    def forward(self, x: Tensor) -> Tensor:
        # TODO
        return self.linear(x)
