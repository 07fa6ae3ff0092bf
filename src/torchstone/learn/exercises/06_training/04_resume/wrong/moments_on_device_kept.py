# rejected by: the_file_needs_no_device: A tensor remembers its device in the file:
# only the net's tensors are moved to the CPU, so the optimizer's still need the device
"""Checkpoints that continue a run to the last bit."""

import copy
import os
import random
from pathlib import Path
from typing import Any

import torch


def _on_cpu(value: Any) -> Any:
    """The same value with every tensor on the CPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        result = copy.copy(value)
        for key in value:
            result[key] = _on_cpu(value[key])
        return result
    if type(value) in (list, tuple):
        return type(value)(_on_cpu(item) for item in value)
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {
        "net": _on_cpu(run.net.state_dict()),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "step": step,
    }
    path = Path(path)
    temporary = path.with_name(path.name + ".unfinished")
    try:
        torch.save(state, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]
