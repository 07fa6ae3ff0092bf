# rejected by: leaves_training_alone: Train or eval is the caller's choice
# "The model is left as it was (weights, statistics, gradients, the mode of each layer)": afterwards every layer is in
# the mode of the whole model
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    training = model.training
    model.eval()
    two = torch.cat([example[:1], example[:1]])
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (two,), dynamic_shapes=({0: batch},))
    model.train(training)
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
