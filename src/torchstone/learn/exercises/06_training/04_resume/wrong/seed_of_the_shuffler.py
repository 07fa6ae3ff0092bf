# rejected by: runs_continue_to_the_last_bit: The generator that shuffles goes on from its own state
# saves the shuffler's seed and seeds the new one with it; after a stop at step 3 the order of the data begins again
# from the start ('the same to the last bit')
"""Checkpoints that continue a run to the last bit."""

import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    path = Path(path)
    state = {
        "step": step,
        "net": _plain(run.net.state_dict()),
        "optimizer": _plain(run.optimizer.state_dict()),
        "scheduler": _plain(run.scheduler.state_dict()),
        "shuffler": run.shuffler.initial_seed(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
    }
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.manual_seed(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]
