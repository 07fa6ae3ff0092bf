"""Everything needed to go on, in one file, written so that a kill at any moment leaves the old one or the new one.

Weights, the optimizer's moments, the step, the random numbers' state, and what was measured so far. The order of the
photographs and the learning rate follow from the recipe and the step, so they need no place in it. It is read without
running any code that it might hold.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import torch

from torchstone.errors import UserError

FORMAT = 2
FILE_NAME = "finetune.pt"
RUN_SUFFIX, FILES_SUFFIX = ".jsonl", ".files"
HINT = "give --resume the checkpoint, the folder that holds it, or the run file beside it"


def locate(place: str) -> Path:
    """The checkpoint that a person names: the file, its folder, or the run file whose folder holds it."""
    path = Path(place).expanduser()
    if path.name.endswith(RUN_SUFFIX):
        path = path.with_name(path.name.removesuffix(RUN_SUFFIX) + FILES_SUFFIX)
        if path.is_symlink():
            raise UserError(f"{path} is a link, which may lead anywhere", HINT)
    if path.is_dir():
        path = path / FILE_NAME
    if not path.is_file():
        raise UserError(f"there is no checkpoint {path}", HINT)
    return path


def path_in(place: str) -> Path:
    """Where to write, in a folder or under a name ending in .pt."""
    path = Path(place).expanduser()
    return path if path.suffix == ".pt" else path / FILE_NAME


def write(path: Path, content: dict[str, Any]) -> None:
    """Into a file beside it, onto the disk, then renamed over it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            torch.save({"format": FORMAT, **content}, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(path: Path) -> dict[str, Any]:
    """All on the CPU; whoever takes it moves it."""
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load raises a dozen kinds of exception on a file that is none of its own
        raise UserError(f"{path} is not a checkpoint that can be read: {type(error).__name__}", HINT) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError(f"{path} is not a checkpoint of this version's fine-tuning", HINT)
    return content
