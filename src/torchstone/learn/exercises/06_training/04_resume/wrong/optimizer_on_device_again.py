# rejected by: the_file_needs_no_device: A tensor remembers its device in the file: bring every tensor to the CPU first,
# the optimizer's tensors are saved on their device; 'no tensor in the file may need that device'
"""Checkpoints that continue a run to the last bit."""

import io
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch


def plain(value: Any) -> Any:
    """The same, with plain containers and all tensors on the CPU."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([plain(entry) for entry in value])
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    path = Path(path)
    state = {
        "net": plain(run.net.state_dict()),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": plain(run.scheduler.state_dict()),
        "shuffler": run.shuffler.get_state(),
        "torch": torch.get_rng_state(),
        "python": random.getstate(),
        "step": step,
    }
    memory = io.BytesIO()
    torch.save(state, memory)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    run.shuffler.set_state(state["shuffler"])
    torch.set_rng_state(state["torch"])
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    return state["step"]
