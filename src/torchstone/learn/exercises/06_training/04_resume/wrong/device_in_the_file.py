# rejected by: the_file_needs_no_device: A tensor remembers its device in the file
# "no tensor in the file may need that device": tensors are written where they are, and mapped to the CPU only when
# loaded
import os
import random
from pathlib import Path
from typing import Any

import torch


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""

    state = {
        "net": run.net.state_dict(),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "step": step,
    }
    path = Path(path)
    part = path.with_name(path.name + ".part")
    torch.save(state, part)
    os.replace(part, path)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""

    state = torch.load(path, weights_only=True, map_location="cpu")
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]
