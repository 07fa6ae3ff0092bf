# rejected by: a_wish_is_a_command: A wish comes first
# "exactly that device, also where a faster one is here": a wish for the CPU gives the accelerator
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def _here() -> dict[str, int]:
    kinds = {"cpu": 1}
    accelerator = torch.accelerator.current_accelerator()
    if accelerator is not None and torch.accelerator.is_available():
        kinds[accelerator.type] = torch.accelerator.device_count()
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = _here()
    if wanted is None or wanted == "cpu":
        return torch.device(list(kinds)[-1])
    try:
        device = torch.device(wanted)
    except (RuntimeError, TypeError):
        device = None
    if device is None or (device.index or 0) >= kinds.get(device.type, 0):
        raise ValueError(f"there is no device {wanted!r} here; there are: {', '.join(kinds)}")
    return device
