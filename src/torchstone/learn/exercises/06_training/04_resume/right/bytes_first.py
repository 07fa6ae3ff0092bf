# earns: solved
"""Checkpoints that continue a run to the last bit."""

import io
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch

PARTS = ("net", "optimizer", "scheduler")


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {part: getattr(run, part).state_dict() for part in PARTS}
    state |= {"step": step, "shuffler": run.shuffler.get_state(), "noise": torch.random.get_rng_state()}
    state["python"] = json.dumps(random.getstate())
    first, second = io.BytesIO(), io.BytesIO()
    torch.save(state, first)
    first.seek(0)
    torch.save(torch.load(first, map_location="cpu", weights_only=True), second)
    handle, name = tempfile.mkstemp(dir=Path(path).parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(second.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.rename(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    for part in PARTS:
        getattr(run, part).load_state_dict(state[part])
    run.shuffler.set_state(state["shuffler"])
    torch.random.set_rng_state(state["noise"])
    version, numbers, gauss = json.loads(state["python"])
    random.setstate((version, tuple(numbers), gauss))
    return state["step"]
