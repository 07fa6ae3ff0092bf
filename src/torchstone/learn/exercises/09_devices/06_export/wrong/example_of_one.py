# rejected by: leaves_training_alone: UserError
# '`example` itself may have a batch of 1': a dimension of 1 is specialised, export refuses it or fixes it
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    twin = copy.deepcopy(model).eval()
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(twin, (example,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
