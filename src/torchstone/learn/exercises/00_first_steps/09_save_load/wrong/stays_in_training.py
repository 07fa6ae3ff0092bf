# rejected by: loaded_models_compute_the_same: model.eval() switches dropout off
# the loaded model is left in training mode
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model
