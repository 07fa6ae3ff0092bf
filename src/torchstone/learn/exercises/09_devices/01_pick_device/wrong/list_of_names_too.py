# rejected by: finds_the_accelerator: Not every accelerator is called cuda
# "this machine's accelerator, whatever it is called": only names from a list are tried
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    here = {"cpu": 1}
    for name in ("cuda", "mps", "xpu"):
        module = getattr(torch, name)
        if module.is_available():
            here[name] = module.device_count()
    if wanted is None:
        return torch.device(list(here)[-1])
    refusal = ValueError(f"{wanted!r} is not here; there is: {', '.join(here)}")
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise refusal from None
    if (device.index or 0) >= here.get(device.type, 0):
        raise refusal
    return device
