"""The loss of one step: the model's own where it gives one, else a stand-in whose way back is the same work."""

from typing import Any

import torch
from torch import Tensor

from torchstone.errors import UserError
from torchstone.models.inputs import tensors_in


def loss_of(output: Any) -> Tensor:
    """`output.loss`, a scalar that is the whole output, or the mean square of everything with a gradient."""
    own = getattr(output, "loss", None)
    if isinstance(own, Tensor) and own.requires_grad:
        return own
    tensors = [one for one in tensors_in(output) if one.requires_grad and (one.is_floating_point() or one.is_complex())]
    if not tensors:
        raise UserError(
            "there is nothing to train: no output of the model has a gradient",
            "leave --train out; or have it give what it trains, from parameters with requires_grad",
        )
    if len(tensors) == 1 and tensors[0].dim() == 0 and not tensors[0].is_complex():
        return tensors[0]
    return torch.stack([_wide(one).square().mean() for one in tensors]).sum()


def _wide(tensor: Tensor) -> Tensor:
    """A sum of many squares overflows float16; a complex number's square is its length's."""
    real = tensor.abs() if tensor.is_complex() else tensor
    return real if real.dtype is torch.float64 else real.float()
