"""Several ranks on one machine: the learner's code in processes that gloo joins, each watched for what it sends.

On Linux the ranks are forks of the graded process, some 50 ms; elsewhere Python starts anew for each. Where all of them
wait for what never comes, each rank's last communication is told.
"""

import datetime
import faulthandler
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.files import temporary_folder
from torchstone.learn.grading import forbidding
from torchstone.learn.grading.checks import Failed, place_at, place_in_answer
from torchstone.learn.grading.mistakes import explain_error
from torchstone.learn.grading.session import session
from torchstone.learn.grading.stalls import LOOK_S, StallWatch
from torchstone.learn.journal import stuck_line
from torchstone.learn.verdicts import Failure, Place
from torchstone.processes import Limits, Outcome, fork_is_safe, run_spawned

PATIENCE_S = 60.0
"""How long a rank waits for the others by itself; where they are forked, the first process sees a hang much earlier."""
SPAWNED_PATIENCE_S = 15.0
"""The same where nobody else watches: it must end well before the limit of the exercise does, or nothing is told."""
POLL_S = 0.005
DIARY_BYTES = 100
"""Room for one line, so that a shorter one leaves nothing of a longer one before it."""
DUMP_S = 1.0
"""How long a rank that waits in vain may take to write down where it stands."""
HANG = (
    "Every rank must take part in every collective, all in the same order, and each send needs its receive: "
    "a rank that skips one leaves the others waiting."
)
ENDED = (
    "Gloo ends a process that is sent more numbers than it has room for: are the ranks in different collectives, or is "
    "what one side sends larger than what the other receives?"
)
DIED = "its process died"
SENT_BY = {"send": "send", "recv_": "recv", "recv_any_source_": "recv", "allreduce_": "all_reduce"}
"""What people call the ops whose names say it differently; for the others the underscores are taken off."""


@dataclass(frozen=True)
class Sent:
    """One communication of one rank."""

    name: str
    """As one would call it: `send`, `recv`, `all_reduce`, `broadcast`."""
    numbers: int
    """How many numbers were handed in (for a gather: those that come out)."""
    size_bytes: int
    peer: int | None
    """To whom, or from whom, where there is one."""


@dataclass
class Rank:
    """What one rank has done."""

    rank: int
    value: Any = None
    sent: list[Sent] = field(default_factory=list)
    error: str | None = None
    """In words, where it raised."""
    waited: bool = False
    """Whether it waited in vain or lost the others on the way: seldom the cause."""
    place: Place | None = None
    teach: str | None = None
    stood: str = "had begun no communication"
    """Its last communication, in words; known even of a process that died."""


class CommunicationWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Writes down every op of torch.distributed, by whatever function it was called."""

    def __init__(self, sent: list[Sent], diary: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.sent = sent
        self.diary = os.open(diary, os.O_CREAT | os.O_WRONLY)
        """Left open until the process ends: it is written at every communication."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        namespace, name = func.name().split("::")
        if namespace in ("c10d", "_c10d_functional"):
            self.sent.append(_describe(name.split(".")[0], args))
            os.pwrite(self.diary, _stands(self.sent).ljust(DIARY_BYTES).encode(), 0)
        return func(*args, **(kwargs or {}))


def _describe(op: str, args: Any) -> Sent:
    tensors = [leaf for leaf in tree_leaves(args[:1]) if isinstance(leaf, torch.Tensor)]
    peer = args[2] if op in ("send", "recv_") else None
    return Sent(
        SENT_BY.get(op, op.strip("_")),
        sum(tensor.numel() for tensor in tensors),
        sum(tensor.numel() * tensor.element_size() for tensor in tensors),
        peer,
    )


def run_ranks(body: Callable[[int], Any], world_size: int) -> list[Rank]:
    """Run `body(rank)` in so many processes, joined as torch.distributed's default group.

    Fails, in words, where one of them raises, ends or waits in vain. What `body` returns must be picklable; it may use
    the learner's functions (`raw(answer.name)`), never `answer` itself.
    """
    with temporary_folder("ranks") as folder:
        forked = fork_is_safe()
        patience_s = PATIENCE_S if forked else SPAWNED_PATIENCE_S
        job = partial(_be_rank, body, world_size, folder, session.path, patience_s)
        ranks = _fork(job, world_size, folder) if forked else _spawn(job, world_size)
        for rank in ranks:
            diary = folder / f"rank-{rank.rank}"
            rank.stood = (diary.read_text().strip() if diary.exists() else "") or rank.stood
    _expect_all_ended(ranks)
    return ranks


def _be_rank(
    body: Callable[[int], Any], world_size: int, folder: Path, path: Path, patience_s: float, rank: int
) -> Rank:
    session.path = path
    torch.set_num_threads(1)
    own = Rank(rank)
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(str(folder / "store"), world_size),  # type: ignore[attr-defined]
        rank=rank,
        world_size=world_size,
        timeout=datetime.timedelta(seconds=patience_s),
    )
    (folder / f"joined-{rank}").touch()
    try:
        with CommunicationWatch(own.sent, folder / f"rank-{rank}"):
            own.value = body(rank)
    except BaseException as error:  # whatever the learner's code raises is the result
        _tell_error(own, error)
        # One that fails at once and leaves would take the others along, who are still connecting to it.
        _wait_until_joined(folder, world_size)
    return own


def _wait_until_joined(folder: Path, world_size: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while sum(1 for _ in folder.glob("joined-*")) < world_size and time.monotonic() < deadline:
        time.sleep(POLL_S)


def _tell_error(own: Rank, error: BaseException) -> None:
    text = str(error).strip().split("\nThis error may be", 1)[0]
    own.place = place_in_answer(error.__traceback__)
    own.waited = isinstance(error, RuntimeError) and ("gloo" in text or "imed out" in text)
    if isinstance(error, Failed):
        own.error, own.teach = error.failure.message, error.failure.teach
    elif isinstance(error, NotImplementedError) and own.place is not None and "raise" in own.place.text:
        own.error, own.teach = f"not written yet: {text}", "Put your code where the TODO is."
    else:
        own.error = f"{type(error).__name__}: {text}"[:400]
        own.teach = explain_error(type(error).__name__, text)
        if own.place is None:
            own.error += " (" + traceback.format_exc().strip().splitlines()[-3].strip() + ")"


def _fork(job: Callable[[int], Rank], world_size: int, folder: Path) -> list[Rank]:
    sys.stdout.flush()
    sys.stderr.flush()
    children = [_fork_one(job, rank, folder) for rank in range(world_size)]
    try:
        return _collect(children, folder)
    finally:
        for process, pipe in children:
            os.close(pipe)
            os.kill(process, signal.SIGKILL)  # not yet waited for, so the number is still its own
            os.waitpid(process, 0)


def _fork_one(job: Callable[[int], Rank], rank: int, folder: Path) -> tuple[int, int]:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    try:
        os.close(reading)
        faulthandler.register(signal.SIGUSR1, (folder / f"trace-{rank}").open("w"), all_threads=False)
        own = job(rank)
        sys.stdout.flush()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(own))
        if own.error is None:
            signal.pause()  # leaving would break the connections of those who are not through
    finally:
        os._exit(0)  # the parent alone tells the verdict


def _collect(children: list[tuple[int, int]], folder: Path) -> list[Rank]:
    """What each rank has to say, until all have, or until those who have not wait in vain."""
    received = {pipe: bytearray() for _, pipe in children}
    silent = {pipe: process for process, pipe in children}
    stalls = StallWatch()
    while silent:
        for pipe in select.select(list(silent), [], [], LOOK_S)[0]:
            chunk = os.read(pipe, 1 << 16)
            received[pipe] += chunk
            if not chunk:
                del silent[pipe]
        if stalls.look(silent.values()):
            break
    return [
        _rank_in_vain(rank, process, folder) if pipe in silent else _unpack(rank, received[pipe])
        for rank, (process, pipe) in enumerate(children)
    ]


def _unpack(rank: int, received: bytes | bytearray) -> Rank:
    if not received:
        return Rank(rank, error=DIED)
    result: Rank = pickle.loads(bytes(received))
    return result


def _rank_in_vain(rank: int, process: int, folder: Path) -> Rank:
    """One that waits: it is asked for its stack, which it can tell though it waits outside of Python."""
    trace = folder / f"trace-{rank}"
    os.kill(process, signal.SIGUSR1)
    deadline = time.monotonic() + DUMP_S
    while not trace.read_text().endswith("\n") and time.monotonic() < deadline:
        time.sleep(POLL_S)
    line = stuck_line(trace.read_text(), session.path)
    return Rank(rank, error="it waited in vain", waited=True, place=place_at(line) if line else None)


def _spawn(job: Callable[[int], Rank], world_size: int) -> list[Rank]:
    import cloudpickle

    # `grade.py` is no module that a new Python could import.
    cloudpickle.register_pickle_by_value(sys.modules["torchstone_grade"])
    limits = Limits(seconds=60 + 2 * SPAWNED_PATIENCE_S)
    packed, names = cloudpickle.dumps(job), tuple(session.forbidden)
    with ThreadPoolExecutor(world_size) as pool:
        start = partial(_start_anew, packed, names, limits)
        outcomes = list(pool.map(start, range(world_size)))
    ranks = []
    for rank, outcome in enumerate(outcomes):
        if outcome.ended != "returned":
            ranks.append(Rank(rank, error=outcome.detail.strip()[-400:]))
            continue
        own, found = pickle.loads(outcome.value)
        forbidding.tell_of_another_process(found)
        ranks.append(own)
    return ranks


def _start_anew(packed: bytes, names: tuple[str, ...], limits: Limits, rank: int) -> Outcome:
    return run_spawned(partial(_be_spawned, packed, names, rank), limits)


def _be_spawned(packed: bytes, names: tuple[str, ...], rank: int) -> bytes:
    """The rank, and what it called of `names`: these must be visible before the learner's functions are unpacked."""
    forbidding.prepare(names)
    job = pickle.loads(packed)
    with forbidding.watch_for(names, only_by_the_learner=True) as found:
        own = job(rank)
    return pickle.dumps((own, tuple(found)))


def _expect_all_ended(ranks: list[Rank]) -> None:
    raised = [rank for rank in ranks if rank.error is not None]
    if not raised:
        return
    causes = [rank for rank in raised if not rank.waited]
    died = any(rank.error == DIED for rank in causes)
    if causes and not died:
        first = causes[0]
        who = "every rank" if len(causes) == len(ranks) else f"rank {first.rank}"
        raise Failed(Failure(message=f"{who}: {first.error}", place=first.place, teach=first.teach))
    stood = ", ".join(f"rank {rank.rank} {rank.stood if rank.error else 'was through'}" for rank in ranks)
    what = f"rank {causes[0].rank}'s process died" if died else "the ranks waited for each other in vain"
    place = next((rank.place for rank in raised if rank.place), None)
    raise Failed(Failure(message=f"{what}: {stood}", place=place, teach=ENDED if died else HANG))


def _stands(sent: list[Sent]) -> str:
    last = sent[-1]
    return f"was in its {_ordinal(len(sent))} communication, {last.name} of {last.numbers} numbers"


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
