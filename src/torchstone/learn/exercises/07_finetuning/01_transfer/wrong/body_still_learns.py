# rejected by: frozen_part_keeps_nothing: Parameters that require grad make autograd keep their inputs
# modes are right and only the head's parameters go to the optimizer, but the rest still requires gradients, so all
# its activations are kept
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def _renamed(key: str, renames: dict[str, str]) -> str:
    for old, new in renames.items():
        if key.startswith(old):
            return new + key.removeprefix(old)
    return key


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    left = set(own)
    with torch.no_grad():
        for key, value in saved.items():
            name = _renamed(key, renames)
            if name in own and own[name].shape == value.shape:
                own[name].copy_(value)
                left.discard(name)
    return sorted(left)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.eval()
    part = model.get_submodule(head)
    part.train()
    part.requires_grad_(True)
    return list(part.parameters())
