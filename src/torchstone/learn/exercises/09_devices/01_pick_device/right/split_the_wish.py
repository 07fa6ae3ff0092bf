# earns: solved
# the wish is cut at its colon by hand
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import re

import torch


def _count(kind: str) -> int:
    """How many devices of this kind are here."""
    if kind == "cpu":
        return 1
    best = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    return torch.accelerator.device_count() if best is not None and best.type == kind else 0


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    best = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    if wanted is None:
        return torch.device(best.type)
    found = re.fullmatch(r"([a-z]\w*)(?::(0|[1-9]\d*))?", wanted)
    if found is None or int(found[2] or 0) >= _count(found[1]):
        raise ValueError(f"asked for {wanted!r}, but here are only {sorted({'cpu', best.type})}")
    return torch.device(wanted)
