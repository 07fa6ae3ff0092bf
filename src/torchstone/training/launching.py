"""Start several processes through PyTorch's own launcher, follow them, and see that they end.

`torch.distributed.run` starts the processes, watches them, and ends all when one is lost. Its first process writes
what happens to a file, line by line, which is followed here. Nothing waits without a limit: the processes wait a minute
for each other, and the launcher is ended when its time is over.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.files import temporary_folder
from torchstone.processes import python_command
from torchstone.training.recipe import Recipe, to_fields

POLL_S = 0.1
START_UP_S = 120.0
"""To import torch and load the photographs, in every process."""
END_S = 15.0
"""For the launcher to end its processes."""
LOST_PROCESS = re.compile(r"rank\s*:\s*(\d+).*?exitcode\s*:\s*(-?\d+)\s*\(pid:\s*(\d+)\)", re.DOTALL)
ROOT_CAUSE = "Root Cause"
SAID_ERROR = re.compile(r"^(?:\[\w+\]:)?error: (.+)$", re.MULTILINE)


class TeamError(Exception):
    """The processes did not come to their end."""


@dataclass(frozen=True)
class Order:
    """What a team is to do."""

    recipe: Recipe
    processes: int
    device_kind: str = "cpu"
    checkpoint: Path | None = None
    resumes: bool = False
    seconds: float | None = None
    """To train; None until it is finished."""
    checkpoint_every_s: float | None = None
    threads: int = 1
    """Of each process."""


def threads_for(processes: int) -> int:
    """What each gets of this machine's cores."""
    return max(1, (os.cpu_count() or 1) // processes)


def arguments_of(order: Order) -> list[str]:
    """As `python -m torchstone.training` takes them."""
    found = ["--device", order.device_kind, "--recipe", json.dumps(to_fields(order.recipe))]
    settings = (
        ("--checkpoint", order.checkpoint),
        ("--seconds", order.seconds),
        ("--checkpoint-every", order.checkpoint_every_s),
    )
    found += [word for option, value in settings if value is not None for word in (option, str(value))]
    return [*found, "--resume"] if order.resumes else found


def run_team(order: Order) -> Iterator[dict[str, Any]]:
    """What happens, as it happens: `{"epoch": …}` and at last `{"history": …, "steps": …}`; raises `TeamError`."""
    with temporary_folder("team") as folder:
        events, log = folder / "events.jsonl", folder / "log.txt"
        events.touch()
        command = [*_launcher(order), *arguments_of(order), "--events", str(events)]
        # The launcher makes folders of its own, which go with ours.
        environment = {**os.environ, "OMP_NUM_THREADS": str(order.threads), "TMPDIR": str(folder)}
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
            )
        try:
            yield from _follow(process, events, _limit_s(order))
        finally:
            end(process)
        if process.returncode != 0:
            raise TeamError(explain_loss(log.read_text(encoding="utf-8", errors="replace"), process.returncode))


def _launcher(order: Order) -> list[str]:
    launcher = python_command("torch.distributed.run", "--standalone", "--max-restarts", "0", "--no-python")
    return [*launcher, "--nproc-per-node", str(order.processes), *python_command("torchstone.training")]


def _limit_s(order: Order) -> float:
    """Generous: a process ends by itself at its deadline, or when it has waited too long for another."""
    return float("inf") if order.seconds is None else START_UP_S + 2.0 * order.seconds


def _follow(process: "subprocess.Popen[bytes]", events: Path, limit_s: float) -> Iterator[dict[str, Any]]:
    deadline = time.monotonic() + limit_s
    rest = ""
    with events.open(encoding="utf-8") as file:
        while True:
            ended = process.poll() is not None
            *lines, rest = (rest + file.read()).split("\n")
            yield from (json.loads(line) for line in lines)
            if ended:
                return
            if time.monotonic() > deadline:
                raise TeamError(f"the processes did not end within {limit_s:.0f} s and were ended")
            time.sleep(POLL_S)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask the launcher, which then ends its processes; where it does not answer, kill it: they notice and end too."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(END_S)
        return
    process.kill()
    process.wait()


def explain_loss(log: str, code: int) -> str:
    """The one sentence that matters in the launcher's long story."""
    said = SAID_ERROR.search(log)
    if said is not None:
        return said.group(1).strip()
    lost = _first_lost(log)
    if lost is None:
        last = (log.strip().splitlines() or ["it said nothing"])[-1]
        return f"torch.distributed.run ended with code {code}: {last.strip()}"
    rank, exit_code, number = lost
    how = f"was killed by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"ended with code {exit_code}"
    return f"process {rank} of the team (pid {number}) {how}, and the others were ended"


def _first_lost(log: str) -> tuple[int, int, int] | None:
    """Rank, exit code and process number of who was lost first.

    A process that loses another may abort within the same look of the launcher, which then names either as the root
    cause: one that was killed is believed before one that aborted.
    """
    others, _, cause = log.partition(ROOT_CAUSE)
    lost = [
        (int(rank), int(code), int(number))
        for part in (cause, others)
        for rank, code, number in LOST_PROCESS.findall(part)
    ]
    killed = [one for one in lost if one[1] == -signal.SIGKILL]
    return next(iter(killed if lost and lost[0][1] == -signal.SIGABRT and killed else lost), None)
