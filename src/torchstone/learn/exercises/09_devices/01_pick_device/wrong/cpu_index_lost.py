# rejected by: the_cpu_has_an_index_too: There is one CPU, and "cpu:0" is its whole name: exactly that device
# "exactly that device": the index of "cpu:0" is lost
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
    # A torch.device is only a name: "cuda:7" can be written on any machine. Its place has to be looked up.
    try:
        device = torch.device(wanted)
    except RuntimeError:
        device = None
    if device is None or (device.index or 0) >= here.get(device.type, 0):
        raise ValueError(f"{wanted!r} is not a device of this machine, which has: {', '.join(here)}")
    return torch.device("cpu") if device.type == "cpu" else device
