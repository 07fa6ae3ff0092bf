# rejected by: the_file_is_a_state_dict: The file should hold model.state_dict(): buffers such as the
# float64 weights are saved as float32; 'which then computes the same as the saved one'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save({n: t.float() if t.dtype == torch.float64 else t for n, t in model.state_dict().items()}, path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    # To the CPU first: the device that they were saved on may not exist here. load_state_dict copies from there.
    weights = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(weights)
    return model.eval()
