# earns: solved
# weights brought to the CPU before saving, open files
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    state = model.state_dict()
    for name, value in list(state.items()):
        if isinstance(value, torch.Tensor):
            state[name] = value.detach().cpu()
    with open(path, "wb") as file:
        torch.save(state, file)


def load(model: nn.Module, path: Path) -> nn.Module:
    with open(path, "rb") as file:
        state = torch.load(file, map_location=torch.device("cpu"), weights_only=True)
    model.load_state_dict(state, strict=True)
    return model.train(False)
