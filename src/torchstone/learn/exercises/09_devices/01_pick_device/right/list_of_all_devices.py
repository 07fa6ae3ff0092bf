# earns: solved
# writes down every device that is here, and looks the wish up
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def devices_here() -> dict[str, int]:
    """Kinds of devices with their number, the best one last."""
    kinds = {"cpu": 1}
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if accelerator is not None:
        kinds[accelerator.type] = torch.accelerator.device_count()
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = devices_here()
    if wanted is None:
        *_, best = kinds
        return torch.device(best)
    here = {torch.device(kind) for kind in kinds}
    here |= {torch.device(kind, index) for kind, number in kinds.items() for index in range(number)}
    try:
        device = torch.device(wanted)
    except (RuntimeError, TypeError):
        device = None
    if device not in here:
        raise ValueError(f"asked for {wanted!r}, but here are only: {' and '.join(kinds)}")
    return device
