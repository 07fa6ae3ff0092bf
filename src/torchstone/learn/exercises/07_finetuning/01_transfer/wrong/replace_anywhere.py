# rejected by: fronts_are_renamed_once: The front alone is renamed
# 'every key is renamed at most once, at its front': str.replace renames in the middle of a key too
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    own = model.state_dict()
    fitting = {}
    for key, tensor in saved.items():
        for old, new in renames.items():
            if old in key:
                key = key.replace(old, new)
                break
        if key in own and own[key].shape == tensor.shape:
            fitting[key] = tensor
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
