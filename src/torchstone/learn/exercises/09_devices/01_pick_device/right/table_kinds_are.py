# earns: solved
# a table of the kinds that are here with their number
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def _here() -> dict[str, int]:
    """The kinds of devices of this machine, the best first, and how many there are of each."""
    kinds: dict[str, int] = {}
    if torch.accelerator.is_available():
        kinds[torch.accelerator.current_accelerator().type] = torch.accelerator.device_count()
    kinds["cpu"] = 1
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = _here()
    if wanted is None:
        return torch.device(next(iter(kinds)))
    refusal = ValueError(f"no device {wanted!r}; there is {' and '.join(kinds)}")
    try:
        device = torch.device(wanted)
    except (RuntimeError, TypeError) as error:
        raise refusal from error
    if (device.index or 0) >= kinds.get(device.type, 0):
        raise refusal
    return device
