# rejected by: runs_at_any_batch_size: What has gathered in .grad is the caller's, not yours to
# takes the gradients off the original before it is copied; "The model is left as it was: it may be in the middle of
# its training"
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    model.zero_grad()
    twin = copy.deepcopy(model).eval()
    example = torch.cat([example, example])
    program = torch.export.export(twin, (example,), dynamic_shapes=({0: torch.export.Dim("batch", min=1)},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
