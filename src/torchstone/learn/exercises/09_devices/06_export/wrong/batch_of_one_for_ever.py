# rejected by: leaves_training_alone: in the example for a constant: show it
# an example with a batch of 1 makes a program for a batch of 1 only
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    twin = copy.deepcopy(model).eval()
    program = torch.export.export(twin, (example,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
