# rejected by: refuses_what_is_not_here: torch's own errors differ from device to device
# 'no such word: a ValueError': torch's RuntimeError for an unknown word is let through
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if wanted is None:
        return accelerator if accelerator is not None else torch.device("cpu")
    device = torch.device(wanted)
    kinds = {"cpu": 1}
    if accelerator is not None:
        kinds[accelerator.type] = torch.accelerator.device_count()
    if device.type not in kinds or (device.index or 0) >= kinds[device.type]:
        raise ValueError(f"{wanted} is not among {', '.join(kinds)}")
    return device
