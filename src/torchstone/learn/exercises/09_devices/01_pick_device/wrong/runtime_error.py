# rejected by: refuses_what_is_not_here: torch's own errors differ from device to device
# "no such word, such as "gpu", "CPU" or ""…: a ValueError": a word such as "gpu" raises torch's RuntimeError
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    here = {"cpu": 1}
    if torch.accelerator.is_available():
        here[torch.accelerator.current_accelerator().type] = torch.accelerator.device_count()
    if wanted is None:
        return torch.device(list(here)[-1])
    refusal = ValueError(f"{wanted!r} is not here; there is: {', '.join(here)}")
    device = torch.device(wanted)
    if (device.index or 0) >= here.get(device.type, 0):
        raise refusal
    return device
