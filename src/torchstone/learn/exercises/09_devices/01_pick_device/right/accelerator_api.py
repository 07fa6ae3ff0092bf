# earns: solved
# asks torch.accelerator, lets torch.device parse the wish
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    best = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    here = {"cpu": 1}
    if best is not None:
        here[best.type] = torch.accelerator.device_count()
    if wanted is None:
        return torch.device(best.type) if best is not None else torch.device("cpu")
    refusal = f"there is no device {wanted!r} here; there are: {', '.join(here)}"
    try:
        device = torch.device(wanted)
    except (RuntimeError, ValueError) as error:
        raise ValueError(refusal) from error
    if device.type not in here or (device.index or 0) >= here[device.type]:
        raise ValueError(refusal)
    return device
