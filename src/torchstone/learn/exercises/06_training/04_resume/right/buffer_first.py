# earns: solved
# the whole file is made in memory, numbers of Python's generator as a tensor, then a temporary file takes the name
"""Checkpoints that continue a run to the last bit."""

import io
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree

PARTS = ("net", "optimizer", "scheduler")


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    version, numbers, gauss = random.getstate()
    state: dict[str, Any] = {part: getattr(run, part).state_dict() for part in PARTS}
    state["net"] = dict(state["net"])
    state = pytree.tree_map(lambda one: one.detach().to("cpu") if isinstance(one, torch.Tensor) else one, state)
    state["generators"] = [run.shuffler.get_state(), torch.get_rng_state(), torch.tensor(numbers, dtype=torch.int64)]
    state["python"] = [version, gauss]
    state["step"] = step
    memory = io.BytesIO()
    torch.save(state, memory)
    handle, name = tempfile.mkstemp(dir=Path(path).parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(memory.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, weights_only=True, map_location="cpu")
    for part in PARTS:
        getattr(run, part).load_state_dict(state[part])
    shuffler, everywhere, numbers = state["generators"]
    run.shuffler.set_state(shuffler)
    torch.set_rng_state(everywhere)
    version, gauss = state["python"]
    random.setstate((version, tuple(numbers.tolist()), gauss))
    return state["step"]
