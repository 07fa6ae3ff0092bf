# rejected by: refuses_what_is_not_here: A refusal that helps says what was asked for and what there is to choo
# the message names only the best kind of device: with an accelerator here, pick_device('gpu') does not name the
# CPU; breaks 'names ... the kinds of devices that are here, the CPU among them'
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if wanted is None:
        return torch.device("cpu") if accelerator is None else accelerator
    here = {"cpu": 1}
    if accelerator is not None:
        here[accelerator.type] = torch.accelerator.device_count()
    for kind, count in here.items():
        if wanted == kind or wanted in {f"{kind}:{index}" for index in range(count)}:
            return torch.device(wanted)
    raise ValueError(f"there is no device {wanted!r} on this machine, which has {pick_device().type}")
