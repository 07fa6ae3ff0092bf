# rejected by: checkpoint_is_loaded: strict=False forgives missing keys
# 'or whose shape does not fit, is left out': strict=False does not forgive other shapes, it raises
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    state = {}
    for key in saved:
        name = key
        for old in renames:
            if key.startswith(old):
                name = renames[old] + key[len(old) :]
                break
        state[name] = saved[key]
    missing, unexpected = model.load_state_dict(state, strict=False)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
