# rejected by: refuses_what_is_not_here: torch's own errors differ
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
    return torch.empty(0, device=wanted).device
