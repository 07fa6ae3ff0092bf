# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets another one measures the w
# never looks at the accelerator's index; 'pretend:99' is returned; breaks 'no such index: a ValueError'
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    best = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")
    if wanted is None:
        return best
    kinds = {"cpu", best.type}
    kind, _, index = wanted.partition(":")
    if kind not in kinds or (index and not index.isdigit()) or (kind == "cpu" and index not in ("", "0")):
        raise ValueError(f"{wanted!r} is not here; there is: {', '.join(sorted(kinds))}")
    return torch.device(wanted)
