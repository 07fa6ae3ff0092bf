"""How large is the house, and how long is the walk from the command to a person's model?

Why: what a newcomer must read to change one thing is the cost of a design. For the commit BEFORE and for the source as
it is: lines and files outside the exercises, constants in the rooms of experiments, and the walk of
`bench inference --model mine.py:model`: the frames and files of ours between the command and the model's own forward
pass, in the parent that waits (dumped by a signal from the model) and in the child that calls it, below the worker's
loop. Of the child's stacks the commonest counts: the timed call. The last line is one JSON document.

    python benchmarks/house.py [--before b91db12]
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BEFORE = "b91db12"
"""The last commit before the scheduler, the contests and the engines."""
MOST_FILES, MOST_FRAMES = 12, 10

MODEL = """
import os, signal, traceback
from pathlib import Path
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
    def forward(self, x):
        stack = "|".join(f"{frame.filename}:{frame.name}" for frame in traceback.extract_stack())
        with Path(os.environ["WALK"]).open("a") as file:
            file.write(stack + "\\n")
        os.kill(int(os.environ["WALK_PARENT"]), signal.SIGUSR1)
        return self.layer(x)

def model():
    return Model(), (torch.zeros(2, 8),)
"""
COMMAND = """
import faulthandler, os, signal, sys
os.environ["WALK_PARENT"] = str(os.getpid())
faulthandler.register(signal.SIGUSR1, file=open(sys.argv.pop(1), "w"), all_threads=True)
from torchstone.cli import main
main()
"""
FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>\S+)')


def unpack(commit: str, folder: Path) -> Path:
    """The source of a commit, as it was."""
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit, "src"], capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as packed:
        packed.extractall(folder, filter="data")
    return folder / "src"


def measure_source(source: Path) -> dict[str, int]:
    files = [file for file in (source / "torchstone").rglob("*.py") if "exercises" not in file.parts]
    rooms = [file for file in files if {"experiments", "trials"} & set(file.parts)]
    return {
        "files": len(files),
        "lines": sum(file.read_text(encoding="utf-8").count("\n") for file in files),
        "constants_in_experiments": sum(count_constants(file) for file in rooms),
    }


def count_constants(file: Path) -> int:
    """Upper-case names of numbers: what was once tuned by hand. Words and tables of the registry are none."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return sum(
        isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value) and is_upper(node) for node in tree.body
    )


def is_upper(node: ast.Assign | ast.AnnAssign) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return isinstance(target, ast.Name) and target.id.isupper()


def is_number(value: ast.expr | None) -> bool:
    """Whether the value is made of numbers alone."""
    numbers = ast.Constant | ast.BinOp | ast.Tuple | ast.UnaryOp
    return isinstance(value, numbers) and not any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(value)
    )


def walk(source: Path, folder: Path) -> dict[str, Any]:
    """Our frames and files from the command to the model."""
    (folder / "mine.py").write_text(MODEL)
    child, parent = folder / "child.txt", folder / "parent.txt"
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "WALK": str(child),
        "TORCHSTONE_RUNS": str(folder / "runs"),
    }
    arguments = ["bench", "inference", "--model", "mine.py:model", "--budget", "20", "--device", "cpu"]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, str(parent), *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not child.exists():
        raise SystemExit(f"the model was never called: {done.stderr[-2000:]}")
    commonest = Counter(child.read_text().splitlines()).most_common(1)[0][0]
    called = [part.rsplit(":", 1) for part in commonest.split("|")]
    waiting = [(found["file"], found["name"]) for found in FRAME.finditer(main_thread(parent))][::-1]
    below = [ours(file, name) for file, name in waiting if ours(file, name)]
    below = below[first(below, "commands/") :]
    within = [ours(file, name) for file, name in called if ours(file, name)]
    within = within[first(within, ("running.py:work", "scheduling/worker.py:work")) :]
    frames = {"parent": below[1:], "child": within}
    files = sorted({name.split(":")[0] for part in (below, within) for name in part})
    return {
        "files": files,
        "frames_in_parent": len(frames["parent"]),
        "frames_in_child": len(frames["child"]),
        **frames,
    }


def main_thread(dumped: Path) -> str:
    """The last that was dumped of the thread of the command, which is not seen whole at every moment."""
    threads = re.split(r"(?:Current thread|Thread) 0x", dumped.read_text())
    return next((thread for thread in reversed(threads) if "/commands/" in thread), "")


def ours(file: str, name: str) -> str:
    """`room/file.py:function`, or nothing where the file is not ours."""
    return f"{file.split('/torchstone/')[-1]}:{name}" if "/src/torchstone/" in file else ""


def first(names: list[str], place: str | tuple[str, ...]) -> int:
    return next((at for at, name in enumerate(names) if name.startswith(place)), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", default=BEFORE)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = {"before": unpack(options.before, folder), "after": ROOT / "src"}
        for which, source in sources.items():
            place = folder / which
            place.mkdir()
            found[which] = {**measure_source(source), "walk": walk(source, place)}
            print(which, json.dumps(found[which], indent=1))
    steps = found["after"]["walk"]
    deepest = max(steps["frames_in_parent"], steps["frames_in_child"])
    within = len(steps["files"]) <= MOST_FILES and deepest <= MOST_FRAMES
    print(json.dumps({"benchmark": "house", **found, "within": within}))


if __name__ == "__main__":
    main()
