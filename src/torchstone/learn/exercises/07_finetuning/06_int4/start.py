"""A linear layer with weights of four bits."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def quantize(weight: Tensor, group: int) -> tuple[Tensor, Tensor, Tensor]:
    """(out, in) → codes (out, in) from 0 to 15, scale and low (out, in / group)."""
    # TODO
    raise NotImplementedError("quantize")


def pack(codes: Tensor) -> Tensor:
    """Two codes in a byte: even columns in the low four bits."""
    # TODO
    raise NotImplementedError("pack")


def unpack(packed: Tensor) -> Tensor:
    """The codes again."""
    # TODO
    raise NotImplementedError("unpack")


class Int4Linear(nn.Module):
    """Stands for a Linear, with an eighth of its weight and a little more."""

    def __init__(self, linear: nn.Linear, group: int) -> None:
        super().__init__()
        # TODO: buffers packed, scale and low
        self.weight = linear.weight
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        # TODO: rebuild the weight from its codes
        return functional.linear(x, self.weight, self.bias)
