"""A leaky sum as an operator of torch's: kernel, fake and autograd."""

from typing import Any

import torch
from torch import Tensor


# TODO: make it the operator learn::decay
def decay(x: Tensor, rate: float) -> Tensor:
    """y[t] = rate · y[t − 1] + x[t] along the last axis."""
    # TODO: the kernel; a Python loop over the last axis is fine here
    raise NotImplementedError("decay")


# TODO: a fake, and a backward with what it has to remember
