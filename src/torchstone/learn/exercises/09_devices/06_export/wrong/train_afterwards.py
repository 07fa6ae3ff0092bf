# rejected by: leaves_training_alone: Train or eval is the caller's choice
# puts the whole model into train mode afterwards: a layer frozen in eval mode thaws; breaks 'the mode of each
# layer'
"""Export a model for any batch size, and run it on any device."""

import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    was_training = model.training
    model.eval()
    several = example.detach()[:1].repeat(3, 1)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (several,), dynamic_shapes=({0: batch},))
    model.train(was_training)
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
