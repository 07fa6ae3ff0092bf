# rejected by: the_file_is_a_state_dict: save wrote no file at the path
# the file gets the ending .pt, whatever the path says; "writes the model's state dict to the file `path`"
from pathlib import Path

import torch
from torch import nn


def where(path: Path) -> Path:
    return Path(path).with_suffix(".pt")


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), where(path))


def load(model: nn.Module, path: Path) -> nn.Module:
    weights = torch.load(where(path), weights_only=True, map_location="cpu")
    model.load_state_dict(weights)
    return model.eval()
