# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the w
# takes the empty wish for no wish: pick_device('') returns a device; breaks 'no such word, such as ... "": a
# ValueError'
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if not wanted:
        return torch.device("cpu") if accelerator is None else accelerator
    here = {"cpu": 1}
    if accelerator is not None:
        here[accelerator.type] = torch.accelerator.device_count()
    for kind, count in here.items():
        if wanted == kind or wanted in {f"{kind}:{index}" for index in range(count)}:
            return torch.device(wanted)
    raise ValueError(f"there is no device {wanted!r} on this machine, which has {', '.join(here)}")
