# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the
# 'With a wish that this machine cannot fulfil: a ValueError': the CPU is given quietly instead
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    here = {"cpu"} | ({accelerator.type} if accelerator else set())
    if wanted is None:
        return accelerator or torch.device("cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ValueError(f"{wanted!r} is no device; here are {sorted(here)}") from error
    if device.type not in here:
        print(f"warning: {wanted} is not here, using the CPU instead of {sorted(here)}")
        return torch.device("cpu")
    return device
