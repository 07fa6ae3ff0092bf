# rejected by: runs_at_any_batch_size: What has gathered in .grad is the caller's
# drops the gradients of the model so that the copy does not carry them; breaks 'The model is left as it was
# (weights, statistics, gradients, ...)' for a model between backward and step
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    """The model in eval mode, for inputs (any batch, …) like `example`."""
    model.zero_grad(set_to_none=True)  # the file needs no gradients
    frozen = copy.deepcopy(model).eval()
    several = example.detach()[:1].repeat(3, 1)
    batch = torch.export.Dim("batch", min=1)
    program = torch.export.export(frozen, (several,), dynamic_shapes=({0: batch},))
    file = io.BytesIO()
    torch.export.save(program, file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    """The exported model, on `device`."""
    program = torch.export.load(io.BytesIO(data))
    return move_to_device_pass(program, device).module()
