# rejected by: runs_at_any_batch_size: A pickled module needs its class to come back
# 'A trained model leaves for a machine without your Python file': the whole module is pickled, which needs its class
"""Export a model for any batch size, and run it on any device."""

import copy
import io
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.export.passes import move_to_device_pass


def export_model(model: nn.Module, example: Tensor) -> bytes:
    file = io.BytesIO()
    torch.save(copy.deepcopy(model).eval(), file)
    return file.getvalue()


def load_model(data: bytes, device: torch.device) -> Callable[[Tensor], Tensor]:
    return torch.load(io.BytesIO(data), map_location=device, weights_only=False)
