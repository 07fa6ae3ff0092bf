"""Run the crashing and hanging faults, each in a process of its own: `python -m plants.children`.

Prints one JSON line: for each of them how its witness and its control ended, as an exit code, or as the negative of the
signal that ended it. A process that hangs is ended by its own alarm.
"""

import contextlib
import json
import os
import resource
import signal
import sys

import torch

import torchstone.pretend as pretend
from plants import ATLAS_PLANTS
from plants.planting import DEVICE, Plant, Program

PATIENCE_S = 1


def main() -> None:
    """Start all of them, and report how each ended."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    torch.set_num_threads(1)
    pretend.install()
    deadly = [plant for plant in ATLAS_PLANTS if plant.kind in ("crash", "hang")]
    started = {
        plant.name: (_start(plant, plant.witness, plant.kind), _start(plant, plant.controls[0])) for plant in deadly
    }
    ends = {name: [_end(child) for child in children] for name, children in started.items()}
    print(json.dumps(ends))


def _start(plant: Plant, program: Program, kind: str = "") -> int:
    child = os.fork()
    if child:
        return child
    if kind == "hang":
        signal.alarm(PATIENCE_S)
    code = 1
    with contextlib.suppress(BaseException):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        with plant.planted():
            program(DEVICE)
        code = 0
    os._exit(code)


def _end(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
