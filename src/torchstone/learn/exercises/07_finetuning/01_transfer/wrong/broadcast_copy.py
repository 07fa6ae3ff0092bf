# rejected by: misfits_are_left_out: Only an entry of the very same shape fits
# 'whose shape does not fit, is left out': copy_ broadcasts a (1,) or (1, n) tensor into a larger one, only errors are
# left out
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    own = model.state_dict()
    unfilled = list(own)
    for key, tensor in saved.items():
        prefix = next((p for p in renames if key.startswith(p)), "")
        name = renames.get(prefix, "") + key[len(prefix) :]
        if name in own:
            try:
                with torch.no_grad():
                    own[name].copy_(tensor)
            except RuntimeError:
                continue
            unfilled.remove(name)
    return sorted(unfilled)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
