# rejected by: moves_to_another_device: Weights are not all that has a device:
# only the weights move to the device, tensors that forward makes are still made where the model was exported
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    twin = copy.deepcopy(model).eval()
    example = torch.cat([example.detach()] * 3)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(twin, (example,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return program.module().to(device)
