# rejected by: loaded_models_compute_the_same: Each tensor must arrive
# buffers (batch norm's running statistics) are not read, and unknown names are hidden; 'computes the same as the
# saved one', 'do not hide it'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(state[name])
    return model.eval()
