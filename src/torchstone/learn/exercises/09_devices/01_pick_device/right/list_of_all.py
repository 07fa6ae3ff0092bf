# earns: solved
# one list of all devices here, and a lookup in it
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def devices_here() -> dict[str, int]:
    """How many devices there are of each kind, the best kind first."""
    kinds = {}
    if torch.accelerator.is_available():
        kinds[str(torch.accelerator.current_accelerator().type)] = torch.accelerator.device_count()
    kinds["cpu"] = 1
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = devices_here()
    if wanted is None:
        return torch.device(next(iter(kinds)))
    names = {name for kind, count in kinds.items() for name in (kind, *(f"{kind}:{i}" for i in range(count)))}
    if wanted not in names:
        raise ValueError(f"{wanted!r} was asked for, and this machine has: " + " and ".join(sorted(kinds)))
    return torch.device(wanted)
