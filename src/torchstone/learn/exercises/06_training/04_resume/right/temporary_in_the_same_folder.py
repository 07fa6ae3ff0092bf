# earns: solved
# NamedTemporaryFile beside the target, removed if anything fails; pytree for the CPU
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as pytree


def save(path: Path, run: Any, step: int) -> None:
    """Write everything that the rest of the run depends on into one file."""

    parts = {"net": run.net, "optimizer": run.optimizer, "scheduler": run.scheduler}
    state: dict[str, Any] = {name: dict(part.state_dict()) for name, part in parts.items()}
    state = pytree.tree_map_only(torch.Tensor, lambda one: one.detach().cpu(), state)
    state.update(
        step=step,
        shuffler=run.shuffler.get_state(),
        rng=torch.random.get_rng_state(),
        python=json.dumps(random.getstate()),
    )
    folder = Path(path).resolve().parent
    file = tempfile.NamedTemporaryFile(dir=folder, prefix=".checkpoint-", delete=False)
    try:
        with file:
            torch.save(state, file)
        os.replace(file.name, path)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise


def load(path: Path, run: Any) -> int:
    """Bring a fresh run into the saved state; returns the step to go on with."""

    state = torch.load(path, weights_only=True, map_location=torch.device("cpu"))
    run.net.load_state_dict(state["net"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.scheduler.load_state_dict(state["scheduler"])
    version, words, gauss = json.loads(state["python"])
    random.setstate((version, tuple(words), gauss))
    torch.random.set_rng_state(state["rng"])
    run.shuffler.set_state(state["shuffler"])
    return int(state["step"])
