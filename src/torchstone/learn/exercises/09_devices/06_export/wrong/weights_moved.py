# rejected by: moves_to_another_device: Weights are not all that has a device
# "returns its result there, whatever device the model was exported on": only the weights move, the graph's own
# tensors stay on the old device
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    frozen = copy.deepcopy(model).eval()
    two = torch.cat([example[:1], example[:1]])
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(frozen, (two,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return program.module().to(device)
