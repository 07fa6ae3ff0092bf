"""More rows of the same inputs: how a person's own model is given other batch sizes than the one it came with.

The first dimension is taken for the batch where several tensors agree on it, as nearly all models do; whether this
model does shows when it is called.
"""

import torch
from torch import Tensor

from torchstone.models.inputs import Inputs, map_tensors, tensors_in


def rows_of(inputs: Inputs) -> int | None:
    """The size of the first tensor's first dimension; None where there is no tensor that has one."""
    sizes = (tensor.shape[0] for tensor in tensors_in([inputs.args, inputs.kwargs]) if tensor.dim() > 0)
    return next(sizes, None)


def repeat_inputs(inputs: Inputs, times: int) -> Inputs:
    """`times` as many rows, in new memory even for `times=1`: no call gets a tensor that another one may have kept."""
    rows = rows_of(inputs)

    def repeat(tensor: Tensor) -> Tensor:
        if tensor.dim() == 0 or tensor.shape[0] != rows:
            return tensor.clone()
        return torch.cat([tensor] * times)

    return Inputs(map_tensors(inputs.args, repeat), map_tensors(inputs.kwargs, repeat))
