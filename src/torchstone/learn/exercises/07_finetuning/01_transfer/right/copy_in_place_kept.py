# earns: solved lean
# copies entry by entry into the tensors of the state dict; eval and freeze all, then wake the head
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    missing = set(own)
    with torch.no_grad():
        for key, value in saved.items():
            name = key
            for old, new in renames.items():
                if key.startswith(old):
                    name = new + key[len(old) :]
                    break
            if name in own and own[name].shape == value.shape:
                own[name].copy_(value)
                missing.discard(name)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.eval()
    model.requires_grad_(False)
    learning = model.get_submodule(head)
    learning.train()
    learning.requires_grad_(True)
    return list(learning.parameters())
