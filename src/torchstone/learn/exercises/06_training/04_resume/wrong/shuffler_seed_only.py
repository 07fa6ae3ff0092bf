# rejected by: runs_continue_to_the_last_bit: The generator that shuffles goes on from its own state: save
# of the shuffler only its seed is kept, so the order begins anew; promised: "the weights at the end are the same *to
# the last bit* as without the stop"
"""Checkpoints that continue a run to the last bit."""

import io
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch

PARTS = ("net", "optimizer", "scheduler")


def _plain(thing: Any) -> Any:
    """The same, with all tensors on the CPU."""
    if isinstance(thing, torch.Tensor):
        return thing.detach().cpu().clone()
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return type(thing)([_plain(value) for value in thing])
    return thing


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    path = Path(path)
    state = {name: _plain(getattr(run, name).state_dict()) for name in PARTS}
    state["shuffler"] = run.shuffler.initial_seed()
    state["torch"] = torch.get_rng_state()
    state["python"] = random.getstate()
    state["step"] = step
    buffer = io.BytesIO()
    torch.save(state, buffer)
    number, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    for name in PARTS:
        getattr(run, name).load_state_dict(state[name])
    run.shuffler.manual_seed(state["shuffler"])
    torch.set_rng_state(state["torch"])
    random.setstate(state["python"])
    return state["step"]
