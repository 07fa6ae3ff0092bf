# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one
# upper case and spaces are forgiven; "no such word): a `ValueError`"
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if wanted is None:
        return accelerator or torch.device("cpu")
    here = {"cpu": 1}
    if accelerator is not None:
        here[accelerator.type] = torch.accelerator.device_count()
    # A torch.device is only a name: "cuda:7" can be written on any machine. Its place has to be looked up.
    try:
        device = torch.device(wanted.strip().lower())
    except RuntimeError:
        device = None
    if device is None or (device.index or 0) >= here.get(device.type, 0):
        raise ValueError(f"{wanted!r} is not a device of this machine, which has: {', '.join(here)}")
    return device
