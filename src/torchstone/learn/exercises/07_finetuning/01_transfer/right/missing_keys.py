# earns: solved lean
# load_state_dict has the last word on what fits; head found with named_modules
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    def new_name(key: str) -> str:
        for old, new in renames.items():
            if key.startswith(old):
                return f"{new}{key[len(old) :]}"
        return key

    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    candidates = {new_name(key): tensor for key, tensor in saved.items()}
    usable = {name: tensor for name, tensor in candidates.items() if shapes.get(name) == tensor.shape}
    model.load_state_dict(usable, strict=False)
    return sorted(shapes.keys() - usable.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.train(False)
    for parameter in model.parameters():
        parameter.requires_grad = False
    part = dict(model.named_modules())[head]
    part.train(True)
    result = []
    for parameter in part.parameters():
        parameter.requires_grad = True
        result.append(parameter)
    return result
