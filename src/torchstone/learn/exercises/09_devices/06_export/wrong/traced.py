# rejected by: moves_to_another_device: Export froze the batch size of the example
# '`torch.export` writes its graph and its weights down' and 'the device, also that of tensors that `forward` makes by
# itself': a TorchScript trace, whose graph names the old device
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    traced = torch.jit.trace(copy.deepcopy(model).eval(), example)
    file = io.BytesIO()
    torch.jit.save(traced, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    return torch.jit.load(io.BytesIO(data), map_location=device)
