# earns: solved
# pairs of getters and setters in one table, a temporary folder beside the file
"""Checkpoints that continue a run to the last bit."""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


def _parts(run: Any) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """How each part of a run is read, and how it is set."""
    return {
        "net": (run.net.state_dict, run.net.load_state_dict),
        "optimizer": (run.optimizer.state_dict, run.optimizer.load_state_dict),
        "scheduler": (run.scheduler.state_dict, run.scheduler.load_state_dict),
        "shuffler": (run.shuffler.get_state, run.shuffler.set_state),
        "torch": (torch.get_rng_state, torch.set_rng_state),
        "random": (random.getstate, random.setstate),
    }


def _host(value: Any) -> Any:
    match value:
        case torch.Tensor():
            return value.detach().to("cpu")
        case dict():
            return {key: _host(one) for key, one in value.items()}
        case list():
            return [_host(one) for one in value]
        case tuple():
            return tuple(_host(one) for one in value)
        case _:
            return value


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    state = {name: _host(read()) for name, (read, _) in _parts(run).items()}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        fresh = Path(folder) / "checkpoint"
        torch.save({"state": state, "step": step}, fresh)
        fresh.replace(path)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    saved = torch.load(path, weights_only=True, map_location=torch.device("cpu"))
    for name, (_, write) in _parts(run).items():
        write(saved["state"][name])
    return saved["step"]
