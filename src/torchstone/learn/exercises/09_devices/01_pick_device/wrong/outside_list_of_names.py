# rejected by: finds_the_accelerator: Not every accelerator is called cuda
# "this machine's accelerator, *whatever it is called*": a list of four names
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
    kinds = {"cpu": 1}
    for name in ("cuda", "mps", "xpu"):
        module = getattr(torch, name)
        if module.is_available():
            kinds[name] = module.device_count()
    if wanted is None:
        return torch.device(list(kinds)[-1])
    try:
        device = torch.device(wanted)
    except RuntimeError:
        device = None
    if device is None or (device.index or 0) >= kinds.get(device.type, 0):
        raise ValueError(f"there is no device {wanted!r} here; there are: {', '.join(kinds)}")
    return device
