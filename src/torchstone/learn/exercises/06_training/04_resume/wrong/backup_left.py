# rejected by: later_saves_replace_earlier_ones: Rename the unfinished file onto the target (Path.replace)
# keeps the previous checkpoint beside the new one; breaks 'save leaves ... no other file where it succeeds' in the
# second save
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
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
    }
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
            if path.exists():
                path.with_name(path.name + ".bak").write_bytes(path.read_bytes())
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
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]
