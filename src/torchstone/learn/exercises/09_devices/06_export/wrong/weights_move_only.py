# rejected by: moves_to_another_device: Weights are not all that has a device: tensors made in
# only weights move; tensors that forward makes stay on the export's device; 'whatever device the model was exported
# on'
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
        for module, mode in modes:
            module.training = mode
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return program.module().to(device)
