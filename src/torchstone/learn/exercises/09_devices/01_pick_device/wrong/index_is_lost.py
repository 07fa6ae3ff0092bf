# rejected by: a_wish_is_a_command: A wish comes first: whoever debugs on the CPU must get the CPU,
# the wish "cpu:0" or "pretend:0" comes back without its index; "exactly that device"
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
    refusal = f"no device {wanted!r} here; there are: {', '.join(counts)}"
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ValueError(refusal) from error
    if (device.index or 0) >= counts.get(device.type, 0):
        raise ValueError(refusal)
    return torch.device(device.type) if not device.index else device
