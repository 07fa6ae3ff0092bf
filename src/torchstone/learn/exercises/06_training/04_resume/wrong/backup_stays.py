# rejected by: later_saves_replace_earlier_ones: Rename the unfinished file onto the target
# "no other file where it succeeds": the previous checkpoint stays beside the new one
"""Checkpoints that continue a run to the last bit."""

import os
import random
from pathlib import Path
from typing import Any

import torch


def on_cpu(value: Any) -> Any:
    """The same, with all tensors on the CPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return {name: on_cpu(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(on_cpu(one) for one in value)
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {
        "net": on_cpu(run.net.state_dict()),
        "optimizer": on_cpu(run.optimizer.state_dict()),
        "scheduler": on_cpu(run.scheduler.state_dict()),
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "random": random.getstate(),
        "step": step,
    }
    fresh = path.with_name(path.name + ".new")
    try:
        torch.save(state, fresh)
        if path.exists():
            path.with_name(path.name + ".old").write_bytes(path.read_bytes())
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["random"])
    return state["step"]
