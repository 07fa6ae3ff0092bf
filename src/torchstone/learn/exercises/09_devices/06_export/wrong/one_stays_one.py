# rejected by: leaves_training_alone: Torch takes a length of
# an example with a batch of 1 fixes the batch size for ever; 'with **any batch size from 1 on**. `example` itself may
# have a batch of 1'
"""Export a model for any batch size, and run it on any device."""

import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        pair = example.detach()
        batch = torch.export.Dim.AUTO
        program = torch.export.export(model, (pair,), dynamic_shapes=({0: batch},))
    finally:
        for module, mode in modes:
            module.training = mode
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
