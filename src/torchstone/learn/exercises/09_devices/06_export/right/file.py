# earns: solved
"""Export a model for any batch size, and run it on any device."""

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    other = copy.deepcopy(model)
    other.train(False)
    inputs = (example.repeat(3, *[1] * (example.dim() - 1)),)
    program = torch.export.export(other, inputs, dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        torch.export.save(program, path)
        return path.read_bytes()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        path.write_bytes(data)
        program = torch.export.load(path)
    return move_to_device_pass(program, torch.device(device)).module()
