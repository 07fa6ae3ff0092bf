# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one
# an empty word counts as no wish; "no such word: a `ValueError`"
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    here = {"cpu": 1}
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if accelerator is not None:
        here[accelerator.type] = torch.accelerator.device_count()
    if not wanted:
        return torch.device("cpu") if accelerator is None else torch.device(accelerator.type)
    refusal = ValueError(f"no device {wanted!r} here, only {', '.join(here)}")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise refusal from None
    if device.type not in here or (device.index or 0) >= here[device.type]:
        raise refusal
    return device
