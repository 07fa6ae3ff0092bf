# rejected by: a_wish_is_a_command: A wish comes first
# 'exactly that device, also where a faster one is here': a wish for the CPU is overruled by the accelerator
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    kinds = ["cpu"] if accelerator is None else ["cpu", accelerator.type]
    if wanted is not None:
        try:
            device = torch.device(wanted)
        except RuntimeError:
            raise ValueError(f"{wanted!r} is not one of {kinds}") from None
        count = 1 if device.type == "cpu" else torch.accelerator.device_count()
        if device.type not in kinds or (device.index or 0) >= count:
            raise ValueError(f"{wanted!r} is not one of {kinds}")
        if device.type != "cpu":
            return device
    return accelerator or torch.device("cpu")
