# rejected by: checkpoint_is_loaded: strict=False forgives missing keys
# "A key ... whose shape does not fit, is left out": load_state_dict raises
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    renamed = {}
    for key, tensor in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
                break
        renamed[key] = tensor
    return sorted(model.load_state_dict(renamed, strict=False).missing_keys)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    chosen = model.get_submodule(head)
    model.eval()
    chosen.train()
    model.requires_grad_(False)
    model.zero_grad(set_to_none=True)
    chosen.requires_grad_(True)
    return list(chosen.parameters())
