# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the
# 'no such index: a ValueError': only the kind is compared, any index passes
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    kinds = ["cpu"] + ([accelerator.type] if accelerator else [])
    if wanted is None:
        return torch.device(kinds[-1])
    try:
        device = torch.device(wanted)
    except RuntimeError:
        device = None
    if device is None or device.type not in kinds:
        raise ValueError(f"no device {wanted}; here: {kinds}")
    return device
