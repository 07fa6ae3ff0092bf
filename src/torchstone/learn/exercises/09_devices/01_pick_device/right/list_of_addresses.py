# earns: solved
# every address that exists is written down, and the wish looked up in it
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds, addresses = ["cpu"], ["cpu", "cpu:0"]
    if torch.accelerator.is_available():
        kind = torch.accelerator.current_accelerator().type
        kinds.insert(0, kind)
        addresses += [kind] + [f"{kind}:{index}" for index in range(torch.accelerator.device_count())]
    if wanted is None:
        wanted = kinds[0]
    if wanted not in addresses:
        raise ValueError(f"no device {wanted!r} on this machine, which has: {' and '.join(kinds)}")
    return torch.device(wanted)
