# rejected by: refuses_what_is_not_here: A refusal that helps says what was asked for and what there is to
# "names what was asked for and the kinds of devices that are here, the CPU among them": only the wish is named
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
    if wanted is None:
        return torch.device(list(kinds)[-1])
    try:
        device = torch.device(wanted)
    except (RuntimeError, TypeError):
        device = None
    if device is None or (device.index or 0) >= kinds.get(device.type, 0):
        raise ValueError(f"there is no device {wanted!r} on this machine")
    return device
