# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one
# "no such word, such as … "": a ValueError": an empty wish counts as none
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    here = {"cpu": 1}
    if torch.accelerator.is_available():
        here[torch.accelerator.current_accelerator().type] = torch.accelerator.device_count()
    if not wanted:
        return torch.device(list(here)[-1])
    refusal = ValueError(f"{wanted!r} is not here; there is: {', '.join(here)}")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise refusal from None
    if (device.index or 0) >= here.get(device.type, 0):
        raise refusal
    return device
