# earns: solved lean
# copies tensor by tensor into the model's own state dict; modes set by name
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    missing = set(own)
    with torch.no_grad():
        for key, tensor in saved.items():
            front = max((old for old in renames if key.startswith(old)), key=len, default=None)
            if front is not None:
                key = renames[front] + key[len(front) :]
            if key in own and own[key].shape == tensor.shape:
                own[key].copy_(tensor)
                missing.discard(key)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    chosen = model.get_submodule(head)
    model.eval()
    chosen.train()
    model.requires_grad_(False)
    model.zero_grad(set_to_none=True)
    chosen.requires_grad_(True)
    return list(chosen.parameters())
