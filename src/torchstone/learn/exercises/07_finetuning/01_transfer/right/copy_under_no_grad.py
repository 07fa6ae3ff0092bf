# earns: solved lean
# direct copy_ into the entries, prefix test through next(); prepare walks over all modules by name
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def renamed(key: str, renames: dict[str, str]) -> str:
    old = next((old for old in renames if key[: len(old)] == old), None)
    return key if old is None else renames[old] + key.removeprefix(old)


@torch.no_grad()
def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    missing = set(model.state_dict())
    entries = model.state_dict(keep_vars=True)
    for key, tensor in saved.items():
        name = renamed(key, renames)
        target = entries.get(name)
        if target is None or target.shape != tensor.shape:
            continue
        target.copy_(tensor)
        missing.discard(name)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    chosen = model.get_submodule(head)
    inside = {id(module) for module in chosen.modules()}
    for module in model.modules():
        module.training = id(module) in inside
    learning = list(chosen.parameters())
    ids = {id(parameter) for parameter in learning}
    for parameter in model.parameters():
        parameter.requires_grad_(id(parameter) in ids)
        parameter.grad = None
    return learning
