# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the w
# tries to make a tensor there, which works for 'cpu:1' too; breaks 'There is one CPU, "cpu" or "cpu:0"',
# pick_device('cpu:1')
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    kinds = ["cpu"]
    if torch.accelerator.is_available():
        kinds.insert(0, torch.accelerator.current_accelerator().type)
    if wanted is None:
        return torch.device(kinds[0])
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except Exception as error:
        raise ValueError(f"cannot use {wanted!r}; here are {', '.join(kinds)}") from error
    return device
