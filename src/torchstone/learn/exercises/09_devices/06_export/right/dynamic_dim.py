# earns: solved
# Dim.DYNAMIC over a repeated example, by the argument's position
"""Export a model for any batch size, and run it on any device."""

import io
from collections.abc import Callable
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.export import Dim, export, load, save
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    twin = deepcopy(model)
    twin.train(False)
    twin.requires_grad_(False)
    larger = example.detach()[:1].repeat(5, *[1] * (example.dim() - 1))
    program = export(twin, args=(larger,), dynamic_shapes=({0: Dim.DYNAMIC},))
    file = io.BytesIO()
    save(program, file)
    file.seek(0)
    return file.read()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    return move_to_device_pass(load(io.BytesIO(data)), str(device)).module()
