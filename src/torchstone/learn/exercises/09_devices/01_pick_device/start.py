"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    # TODO: other accelerators than CUDA, and a ValueError for a device that is not here
    if wanted is not None and torch.cuda.is_available():
        return torch.device(wanted)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
