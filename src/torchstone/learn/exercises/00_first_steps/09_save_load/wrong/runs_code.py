# rejected by: files_run_no_code: weights_only=True reads tensors and refuses everything else:
# a file from a stranger can run code; 'Read with `weights_only=True`'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    with open(path, "wb") as file:
        torch.save(model.state_dict(), file)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with open(path, "rb") as file:
        state = torch.load(file, map_location="cpu", weights_only=False)
    model.load_state_dict(state)
    return model.eval()
