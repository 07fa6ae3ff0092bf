# rejected by: leaves_training_alone: Train or eval is the caller
# afterwards every layer is in the mode of the model; 'The model is left as it was: … with some of its layers frozen
# in eval mode'
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
        pair = torch.cat([example, example, example]).detach()
        batch = torch.export.Dim("batch", min=1)
        program = torch.export.export(model, (pair,), dynamic_shapes=({0: batch},))
    finally:
        model.train(modes[0][1])
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
