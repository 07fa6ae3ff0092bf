# earns: solved
# the wish is taken apart by a regular expression
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import re

import torch


def kinds_here() -> dict[str, int]:
    kinds = {}
    if torch.accelerator.is_available():
        kinds[torch.accelerator.current_accelerator().type] = torch.accelerator.device_count()
    kinds["cpu"] = 1
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = kinds_here()
    if wanted is None:
        return torch.device(next(iter(kinds)))
    match = re.fullmatch(r"([a-z_0-9]+?)(?::(0|[1-9][0-9]*))?", wanted)
    if match is None or int(match[2] or 0) >= kinds.get(match[1], 0):
        raise ValueError(f"no {wanted!r} here, only: {sorted(kinds)}")
    return torch.device(wanted)
