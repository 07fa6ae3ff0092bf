# rejected by: runs_at_any_batch_size: requires_grad is the caller's flag
# 'The model is left as it was': model.cpu() moves the original and its parameters, and freezes them
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    modes = [(module, module.training) for module in model.modules()]
    model.cpu().eval().requires_grad_(False)
    example = example.cpu()
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(model, (torch.cat([example, example]),), dynamic_shapes=({0: batch},))
    for module, mode in modes:
        module.training = mode
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
