# rejected by: finds_the_accelerator: Not every accelerator is called cuda
# 'this machine's accelerator, whatever it is called': a list of known names (cuda, mps, xpu)
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    here = ["cpu"]
    if torch.cuda.is_available():
        here.insert(0, "cuda")
    if torch.backends.mps.is_available():
        here.insert(0, "mps")
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        here.insert(0, "xpu")
    if wanted is None:
        return torch.device(here[0])
    kind = wanted.split(":")[0]
    if kind not in here:
        raise ValueError(f"{wanted} is not here, only {here}")
    return torch.device(wanted)
