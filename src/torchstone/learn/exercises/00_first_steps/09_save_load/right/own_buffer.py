# earns: solved
# bytes through io.BytesIO and pathlib, train(False)
"""Save what a model has learned, and load it into another."""

import io
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    Path(path).write_bytes(buffer.getvalue())


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    data = io.BytesIO(Path(path).read_bytes())
    model.load_state_dict(torch.load(data, map_location=torch.device("cpu"), weights_only=True), strict=True)
    model.train(False)
    return model
