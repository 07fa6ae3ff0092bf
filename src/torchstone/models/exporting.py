"""A model handed to an engine outside torch: its tensors in order, its outputs put back into the model's own form."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten, tree_is_leaf, tree_unflatten

from torchstone.models.inputs import Inputs, tensors_in

Arrays = Sequence[Any]


def output_form(model: nn.Module, inputs: Inputs) -> Callable[[Arrays], Any]:
    """How an engine's flat outputs become what the model itself gives; from one call of the model."""
    with torch.inference_mode():
        output = model(*inputs.args, **inputs.kwargs)
    if dataclasses.is_dataclass(output) and tree_is_leaf(output):
        torch.export.register_dataclass(type(output))  # else torch.export takes it for a value that it can't hold
    leaves, form = tree_flatten(output)
    positions = [position for position, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]

    def restore(arrays: Arrays) -> Any:
        found = [array if isinstance(array, Tensor) else torch.from_numpy(array) for array in arrays]
        if len(found) != len(positions):
            return tuple(found)
        filled = list(leaves)
        for position, tensor in zip(positions, found, strict=True):
            filled[position] = tensor
        return tree_unflatten(filled, form)

    return restore


def flat_tensors(inputs: Inputs) -> list[Tensor]:
    """What the model is called with, in order."""
    return tensors_in((inputs.args, inputs.kwargs))
