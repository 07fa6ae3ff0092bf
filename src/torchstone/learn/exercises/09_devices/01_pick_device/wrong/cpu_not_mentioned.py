# rejected by: refuses_what_is_not_here: A refusal that helps says what was asked for and what there is to
# the message does not name the CPU where there is an accelerator; "the kinds of devices that are here, the CPU among
# them"
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    counts = {"cpu": 1}
    best = torch.device("cpu")
    if torch.accelerator.is_available():
        best = torch.device(torch.accelerator.current_accelerator().type)
        counts[best.type] = torch.accelerator.device_count()
    if wanted is None:
        return best
    refusal = f"no device {wanted!r} here; there are: {best.type}"
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ValueError(refusal) from error
    if (device.index or 0) >= counts.get(device.type, 0):
        raise ValueError(refusal)
    return device
