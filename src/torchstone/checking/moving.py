"""What `model.to(device)` and the inputs bring there: a tensor that no call uses must get there too.

A sparse tensor is traced as if it were dense, since one without data can't be sparse: that is a doubt.
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from torchstone.checking.leaves import describe, name_of
from torchstone.checking.trace import Place, TracedCall
from torchstone.models.inputs import Inputs, tensors_in

COPY = "aten::_to_copy"
PHASE = "moving"
WIDE = (torch.float64, torch.complex128)
SPARSE = "it is sparse ({}), and is judged as if it were dense"


def moves_of(model: nn.Module, inputs: Inputs) -> tuple[TracedCall, ...]:
    """A copy for each tensor whose dtype or layout a device may not have, by its name."""
    return tuple(_move(name, tensor) for name, tensor in _tensors(model, inputs) if _is_special(tensor))


def _tensors(model: nn.Module, inputs: Inputs) -> Iterator[tuple[str, Tensor]]:
    yield from model.named_parameters()
    yield from model.named_buffers()
    for number, tensor in enumerate(tensors_in((inputs.args, inputs.kwargs))):
        yield f"input {number}", tensor


def _is_special(tensor: Tensor) -> bool:
    return tensor.layout is not torch.strided or (tensor.dtype in WIDE and tensor.dim() > 0)


def _move(name: str, tensor: Tensor) -> TracedCall:
    dtype = name_of(tensor.dtype)
    doubt = "" if tensor.layout is torch.strided else SPARSE.format(name_of(tensor.layout))
    held = describe([tensor])
    return TracedCall(
        op=COPY, inputs=held, outputs=held, requested=(dtype,), place=Place(phase=PHASE, module=name), doubt=doubt
    )
