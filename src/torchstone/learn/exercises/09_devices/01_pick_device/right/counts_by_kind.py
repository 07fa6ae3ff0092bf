# earns: solved
# a dictionary of the kinds that are here and how many of each, looked up afterwards
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def _here() -> dict[str, int]:
    kinds = {"cpu": 1}
    if torch.accelerator.is_available():
        accelerator = torch.accelerator.current_accelerator()
        if accelerator is not None:
            kinds[accelerator.type] = torch.accelerator.device_count()
    return kinds


def pick_device(wanted: str | None = None) -> torch.device:
    kinds = _here()
    if wanted is None:
        best = [kind for kind in kinds if kind != "cpu"] or ["cpu"]
        return torch.device(best[0])
    refusal = ValueError(f"device {wanted!r} is not here; there is {', '.join(sorted(kinds))}")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise refusal from None
    if device.type not in kinds or (device.index or 0) >= kinds[device.type]:
        raise refusal
    return device
