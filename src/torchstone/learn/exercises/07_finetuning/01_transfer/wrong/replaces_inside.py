# rejected by: other_keys_keep_their_names: renames holds plain beginnings: a key that does not begin
# renames in the middle of a key too; 'every key is renamed at most once, at its front'
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def renamed(key: str, renames: dict[str, str]) -> str:
    for old, new in renames.items():
        if old in key:
            return key.replace(old, new, 1)
    return key


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    missing = set(own)
    with torch.no_grad():
        for old, value in saved.items():
            key = renamed(old, renames)
            if key in own and own[key].shape == value.shape:
                own[key].copy_(value)
                missing.discard(key)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""

    def inside(name: str) -> bool:
        return name == head or name.startswith(head + ".")

    for name, module in model.named_modules():
        module.training = inside(name)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(inside(name))
    return list(model.get_submodule(head).parameters())
