# earns: solved lean
# one regular expression for all beginnings, a walk along the dots to the head
"""Load a checkpoint whose keys have other names, and train only the head."""

import re
from functools import reduce

from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    front = re.compile("|".join(map(re.escape, renames)) if renames else r"(?!)")
    shapes = {name: entry.shape for name, entry in model.state_dict().items()}
    chosen = {}
    for key, value in saved.items():
        found = front.match(key)
        name = renames[found[0]] + key[found.end() :] if found else key
        if shapes.get(name) == value.shape:
            chosen[name] = value
    model.load_state_dict(chosen, strict=False)
    return sorted(name for name in shapes if name not in chosen)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    for parameter in model.eval().parameters():
        parameter.requires_grad_(False)
    part = reduce(getattr, head.split("."), model)
    return [parameter.requires_grad_() for parameter in part.train().parameters()]
