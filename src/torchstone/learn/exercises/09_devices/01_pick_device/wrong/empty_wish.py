# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the
# 'no such word: a ValueError': `if not wanted` takes an empty word for no wish
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if not wanted:
        return accelerator or torch.device("cpu")
    here = {"cpu"} | ({accelerator.type} if accelerator else set())
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ValueError(f"{wanted}: not one of {sorted(here)}") from error
    many = torch.accelerator.device_count() if device.type != "cpu" else 1
    if device.type not in here or (device.index or 0) >= many:
        raise ValueError(f"{wanted}: not one of {sorted(here)}")
    return device
