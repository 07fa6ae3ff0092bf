# earns: solved
# pickled into memory first, written and synced, then replaced; random as tensors
import io
import os
import random
from pathlib import Path
from typing import Any

import torch


def moved(value: Any) -> Any:
    if torch.is_tensor(value):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return dict((key, moved(one)) for key, one in value.items())
    if isinstance(value, list):
        return [moved(one) for one in value]
    if isinstance(value, tuple):
        return tuple(moved(one) for one in value)
    return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""

    version, words, gauss = random.getstate()
    state = {name: moved(getattr(run, name).state_dict()) for name in ("net", "optimizer", "scheduler")}
    state["generators"] = {"shuffler": run.shuffler.get_state().cpu(), "global": torch.get_rng_state()}
    state["random"] = {"version": version, "words": torch.tensor(words, dtype=torch.int64), "gauss": gauss}
    state["step"] = step
    buffer = io.BytesIO()
    torch.save(state, buffer)
    target = Path(path)
    fresh = target.parent / f".{target.name}.new"
    with open(fresh, "wb") as file:
        file.write(buffer.getvalue())
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(target)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""

    state = torch.load(path, map_location="cpu", weights_only=True)
    for name in ("net", "optimizer", "scheduler"):
        getattr(run, name).load_state_dict(state[name])
    run.shuffler.set_state(state["generators"]["shuffler"])
    words = tuple(state["random"]["words"].tolist())
    random.setstate((state["random"]["version"], words, state["random"]["gauss"]))
    torch.set_rng_state(state["generators"]["global"])
    return state["step"]
