# rejected by: the_file_is_a_state_dict: Train or eval is the caller's choice, layer
# save switches the model to evaluation mode and leaves it there
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    model.eval()
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    model.eval()
    return model
