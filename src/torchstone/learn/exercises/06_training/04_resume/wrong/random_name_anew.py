# rejected by: runs_continue_to_the_last_bit: Saving only looks
# draws the name of the temporary file from Python's random; breaks 'save leaves the run and all of these as they
# are': random goes on differently after a save
"""Checkpoints that continue a run to the last bit."""

import io
import random
from pathlib import Path
from typing import Any

import torch

PARTS = ("net", "optimizer", "scheduler")


def _host(tree: Any) -> Any:
    if isinstance(tree, dict):
        copy = {}
        for key in tree:
            copy[key] = _host(tree[key])
        return copy
    if isinstance(tree, list):
        return [_host(one) for one in tree]
    if isinstance(tree, tuple):
        return tuple(_host(one) for one in tree)
    return tree.detach().to("cpu", copy=True) if torch.is_tensor(tree) else tree


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {part: _host(getattr(run, part).state_dict()) for part in PARTS}
    version, numbers, gauss = random.getstate()
    state |= {"step": int(step), "order": run.shuffler.get_state(), "noise": torch.random.get_rng_state()}
    state["luck"] = [version, list(numbers), gauss]
    buffer = io.BytesIO()
    torch.save(state, buffer)
    draft = path.parent / f"{path.name}.{random.randrange(10**9)}"
    try:
        draft.write_bytes(buffer.getvalue())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    state = torch.load(path, map_location=torch.device("cpu"), weights_only=True)
    for part in PARTS:
        getattr(run, part).load_state_dict(state[part])
    run.shuffler.set_state(state["order"])
    version, numbers, gauss = state["luck"]
    random.setstate((version, tuple(numbers), gauss))
    torch.random.set_rng_state(state["noise"])
    return state["step"]
