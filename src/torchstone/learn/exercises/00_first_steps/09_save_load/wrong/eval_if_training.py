# rejected by: loaded_models_compute_the_same: model.eval() switches dropout off.
# eval() only where the whole says it trains; 'in evaluation mode'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    # To the CPU first: the device that they were saved on may not exist here. load_state_dict copies from there.
    weights = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(weights)
    return model.eval() if model.training else model
