# rejected by: checkpoint_is_loaded: Each key changes its front once
# 'every key is renamed at most once': without a break a renamed key is renamed again by a later rule
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    new_state = {}
    for key, tensor in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
        new_state[key] = tensor
    own = model.state_dict()
    new_state = {k: v for k, v in new_state.items() if k in own and own[k].shape == v.shape}
    return sorted(model.load_state_dict(new_state, strict=False).missing_keys)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
