# rejected by: leaves_training_alone: Export freezes the mode too
# "the model in *eval* mode": exported in whatever mode the model is in
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    frozen = copy.deepcopy(model)
    two = torch.cat([example[:1], example[:1]])
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(frozen, (two,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
