# rejected by: the_file_is_a_state_dict: The file should hold model
# "`save(model, path)` writes the model's state dict to the file `path`": the buffers, such as those of batch norm,
# are not in the file
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save({name: parameter.data for name, parameter in model.named_parameters()}, path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict({**model.state_dict(), **state})
    return model.eval()
