"""More rows of the same inputs: how a person's own model is given other batch sizes than the one it came with.

The first dimension is taken for the batch where several tensors agree on it, as nearly all models do; whether this
model does shows when it is called.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from torchstone.models.inputs import Inputs, tensors_in


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

    return Inputs(_map_tensors(inputs.args, repeat), _map_tensors(inputs.kwargs, repeat))


def _map_tensors(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_map_tensors(part, change) for part in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_map_tensors(part, change) for part in value)
    if isinstance(value, Mapping):
        return {key: _map_tensors(part, change) for key, part in value.items()}
    return value
