"""Checkpoints that continue a run to the last bit."""

import random
from pathlib import Path
from typing import Any

import torch


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""
    # TODO: the weights alone are not enough, and a crash in the middle destroys what was there
    torch.save({"net": run.net.state_dict(), "step": step}, path)


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""
    # TODO
    state = torch.load(path, weights_only=True)
    run.net.load_state_dict(state["net"])
    return state["step"]
