# rejected by: refuses_what_is_not_here: A refusal that helps says what was asked for and what there is to
# 'a ValueError whose message names what was asked for and the kinds of devices that are here, the CPU among them':
# only the wish is named
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if wanted is None:
        return accelerator if accelerator is not None else torch.device("cpu")
    try:
        device = torch.device(wanted)
        if device.type != "cpu":
            assert accelerator is not None and device.type == accelerator.type
            assert (device.index or 0) < torch.accelerator.device_count()
        else:
            assert not device.index
    except (RuntimeError, AssertionError):
        raise ValueError(f"device {wanted} is not available") from None
    return device
