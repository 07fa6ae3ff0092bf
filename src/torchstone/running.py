"""Runs experiments on devices: worker processes, the budget, and every record safe before the next is measured.

The cases of one experiment on one device run in a worker process that writes what it finds to a spool file, line by
line. The runner follows that file and appends each record to the run at once. When a case kills its worker, or says
nothing for far too long, the case becomes a record with that reason and a new worker goes on with the next case. When
an experiment's seconds are long over, its worker is ended: one slow call on one device must not cost the experiments
that come after it.
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

import msgspec

from torchstone import records
from torchstone.backends import PACKAGES_OF_DEVICES, import_package_of
from torchstone.errors import UserError
from torchstone.experiments import Case, Plan, Record, load_experiment
from torchstone.files import temporary_folder
from torchstone.measuring.timing import status_of, status_of_outcome
from torchstone.processes import ForkServer, Limits, Outcome, fork_is_safe, run_spawned
from torchstone.records import Device, Measurement, Scalar, Setup
from torchstone.store import RunWriter

SILENCE_FACTOR = 3.0
SILENCE_S = 120.0
"""A case may be silent for three times its seconds and two minutes more (a compilation) before it is ended."""
POLL_S = 0.05
START_UP_S = 300.0
STINT_OVERRUN = 1.25
"""How far an experiment may exceed its share on a device: what it takes from the others, they have less."""
RUN_OVERRUN = 1.1
"""How far the whole run may exceed its budget; a fifth is promised, and starting and ending take seconds too."""
FIRST_RECORD_S = 20.0
"""An experiment that has nothing to show yet may take this long once it has started: on a busy machine, loading a
model and its reference takes long, and half a model's work is worth nothing."""
PRELOAD_FOR_A_ROUND = ("torch", "torch._dynamo")
"""The second is what the first step of an optimizer imports, for two seconds: in a round, once for all workers."""
ROUND_STINTS = 4
"""With fewer, importing it beforehand costs as much as it saves."""
KEPT_FOR_CASES = 0.5
"""Of a worker's seconds, for its cases, however long it took to start."""
NO_TIME_FOR_CASE = "no time was left of the experiment's budget: give more --budget"


@dataclass(frozen=True)
class Request:
    """What a person asked of `bench`."""

    experiments: tuple[str, ...]
    devices: tuple[Device, ...]
    budget_s: float
    model: str | None = None
    input_shape: str | None = None
    options: Mapping[str, Scalar] = field(default_factory=dict)
    artifacts: str | None = None


@dataclass(frozen=True)
class Progress:
    """Where the run stands, for whoever shows it."""

    experiment: str
    device: str
    case: str
    left_s: float
    record: Record | None = None


Show = Callable[[Progress], None]


def run_experiments(request: Request, writer: RunWriter, show: Show) -> list[UserError]:
    """Run everything asked for and give the mistakes that kept an experiment from running (a missing extra)."""
    deadline = time.monotonic() + request.budget_s
    hard_end = deadline + request.budget_s * (RUN_OVERRUN - 1.0)
    stints = [(name, device) for name in request.experiments for device in request.devices]
    weights = [load_experiment(name).WEIGHT for name, _ in stints]
    mistakes: list[UserError] = []
    with ExitStack() as stack:
        server: ForkServer | None = None
        for position, (name, device) in enumerate(stints):
            left_s = max(deadline - time.monotonic(), 0.0)
            share_s = left_s * weights[position] / sum(weights[position:])
            if share_s <= 0:
                writer.append(_no_time(name, device))
                continue
            if server is None and _may_fork(device.kind):
                server = stack.enter_context(_start_server(len(stints)))
            stint = _Stint(name, device, request, share_s, deadline, hard_end, writer, show)
            try:
                stint.run(server if _may_fork(device.kind) else None)
            except UserError as error:
                mistakes.append(error)
    return mistakes


def _start_server(stints: int) -> ForkServer:
    return ForkServer(PRELOAD_FOR_A_ROUND) if stints >= ROUND_STINTS else ForkServer()


def _may_fork(device_kind: str) -> bool:
    """Whether a worker may be forked from the server, which has torch loaded and no device's runtime: a package that
    the worker imports itself starts its runtime after the fork. One that torch loads by itself would be there before.
    """
    if fork_is_safe(device_kind):
        return True
    return fork_is_safe() and device_kind in PACKAGES_OF_DEVICES and not entry_points(group="torch.backends")


def _no_time(name: str, device: Device) -> Measurement:
    reason = "no time was left of the budget"
    return Measurement(name=name, setup=Setup(device=device.id), unit="s", status="skipped", reason=reason)


@dataclass
class _Stint:
    """One experiment on one device."""

    name: str
    device: Device
    request: Request
    share_s: float
    deadline: float
    hard_end: float
    """Of the whole run."""
    writer: RunWriter
    show: Show
    case: str = ""
    setup: Setup | None = None
    planned: list[tuple[str, Setup]] = field(default_factory=list)
    """All cases, as the worker listed them."""
    cases_begun: int = 0
    case_limit_s: float = START_UP_S
    mistake: UserError | None = None
    finished: bool = False
    started: float = field(default_factory=time.monotonic)
    cases_listed_at: float | None = None
    """When the first worker was ready to begin."""
    records_kept: int = 0

    @property
    def is_overdue(self) -> bool:
        """Whether its worker is ended, however much is left to do."""
        if self.cases_listed_at is None:
            return False
        due = min(self.started + self.share_s * STINT_OVERRUN, self.hard_end)
        if self.records_kept == 0:
            due = max(due, self.cases_listed_at + FIRST_RECORD_S)
        return time.monotonic() > due

    def run(self, server: ForkServer | None) -> None:
        """Workers one after another, each going on where the one before was lost, until all cases are done."""
        while not self.finished:
            begun_before = self.cases_begun
            outcome = self._run_worker(server, max(self.started + self.share_s - time.monotonic(), 1.0))
            if self.mistake is not None:
                raise self.mistake
            if self.finished:
                return
            was_overdue = self.is_overdue
            self._record_loss(outcome, was_overdue)
            if was_overdue:
                self._record_rest()
                return
            if self.cases_begun == begun_before:
                return  # lost before its first case: another worker would be lost the same way

    def _run_worker(self, server: ForkServer | None, seconds: float) -> Outcome:
        plan = Plan(
            device=self.device,
            budget_s=self.share_s,  # the same for every worker, so that each lists the same cases
            model=self.request.model,
            input_shape=self.request.input_shape,
            options=dict(self.request.options),
            artifacts=self.request.artifacts,
            beside_others=len(self.request.devices) > 1,
        )
        with temporary_folder("spool") as folder:
            spool = folder / "spool.jsonl"
            spool.touch()
            job = partial(work, self.name, plan, self.cases_begun, seconds, time.monotonic(), str(spool))
            limits = Limits(seconds=seconds * SILENCE_FACTOR + START_UP_S + SILENCE_S)
            return self._follow(job, limits, spool, server)

    def _follow(self, job: Callable[[], None], limits: Limits, spool: Path, server: ForkServer | None) -> Outcome:
        """Let the worker run in a thread of ours and take each line of its spool as it comes."""
        outcomes: list[Outcome] = []
        run = server.run if server is not None else run_spawned
        thread = Thread(target=lambda: outcomes.append(run(job, limits)), daemon=True)
        thread.start()
        worker: int | None = None
        silent_since = time.monotonic()
        with spool.open(encoding="utf-8") as lines:
            try:
                while True:
                    ended = not thread.is_alive()
                    for line in _whole_lines(lines):
                        silent_since = time.monotonic()
                        worker = self._take(json.loads(line)) or worker
                    if ended:
                        break
                    if time.monotonic() - silent_since > self.case_limit_s or self.is_overdue:
                        _end(worker)
                    time.sleep(POLL_S)
            except BaseException:  # Ctrl-C above all: leave no worker behind
                _end(worker)
                raise
        return outcomes[0] if outcomes else Outcome("exited", detail="the worker could not be started")

    def _take(self, message: dict[str, Any]) -> int | None:
        """One line of the spool; gives the worker's process number when that is what it says."""
        if "worker" in message:
            return int(message["worker"])
        if "planned" in message:
            self.planned = msgspec.convert(message["planned"], list[tuple[str, Setup]])
            self.cases_listed_at = self.cases_listed_at or time.monotonic()
        elif "case" in message:
            self.case = message["case"]
            self.setup = msgspec.convert(message["setup"], Setup)
            self.cases_begun += 1
            self.case_limit_s = message["seconds"] * SILENCE_FACTOR + SILENCE_S
            self._show(None)
        elif "mistake" in message:
            self.mistake = UserError(*message["mistake"])
        elif "record" in message:
            self._keep(records.decode_record(json.dumps(message["record"]).encode()))
        elif "finished" in message:
            self.finished = True
        return None

    def _show(self, record: Record | None) -> None:
        left_s = max(self.deadline - time.monotonic(), 0.0)
        self.show(Progress(self.name, self.device.id, self.case, left_s, record))

    def _record_loss(self, outcome: Outcome, was_overdue: bool) -> None:
        status, reason = status_of_outcome(outcome)
        if outcome.ended == "killed" and "SIGKILL" in outcome.detail:
            reason = "its process was killed: it ran out of memory, or said nothing for too long"
            if was_overdue:
                status, reason = "skipped", self._explain_overdue()
        elif self.device.kind != "cpu":
            reason = f"the process that used {self.device.id} was lost: {reason}"
        setup = self.setup or Setup(device=self.device.id)
        self._keep(Measurement(name=self.case or self.name, setup=setup, unit="s", status=status, reason=reason))

    def _explain_overdue(self) -> str:
        taken_s = time.monotonic() - self.started
        return (
            f"too slow for the budget: {self.name} had {self.share_s:.0f} s on this device and was ended after "
            f"{taken_s:.0f} s, in this case; give more --budget"
        )

    def _record_rest(self) -> None:
        """Say of every case that was not begun that it was not."""
        for name, setup in self.planned[self.cases_begun :]:
            self._keep(Measurement(name=name, setup=setup, unit="s", status="skipped", reason=NO_TIME_FOR_CASE))

    def _keep(self, record: Record) -> None:
        self.writer.append(record)
        self.records_kept += 1
        self._show(record)


def _whole_lines(file: TextIO) -> Iterator[str]:
    """The lines written since last time; half a line waits for its end."""
    while True:
        place = file.tell()
        line = file.readline()
        if not line.endswith("\n"):
            file.seek(place)
            return
        yield line


def _end(worker: int | None) -> None:
    if worker is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker, signal.SIGKILL)


# What follows runs in the worker.


def work(name: str, plan: Plan, skip: int, seconds: float, asked_at: float, spool: str) -> None:
    """Run the cases from number `skip` on within the seconds left, writing every step to the spool.

    The seconds run from when the worker was asked for, by the system's clock that all processes share: starting counts.
    """
    with Path(spool).open("a", encoding="utf-8") as file:
        tell = partial(_tell, file)
        tell(worker=os.getpid())
        try:
            import_package_of(plan.device.id)
            cases = list(load_experiment(name).cases(plan))
            tell(planned=[(case.name, msgspec.to_builtins(_setup_of(case, plan.device))) for case in cases])
            deadline = max(asked_at + seconds, time.monotonic() + KEPT_FOR_CASES * seconds)
            _run_cases(cases[skip:], plan, deadline, tell)
        except UserError as error:
            tell(mistake=[error.message, error.hint])
        tell(finished=True)


def _tell(file: TextIO, **message: object) -> None:
    file.write(json.dumps(message) + "\n")
    file.flush()


def _run_cases(cases: Sequence[Case], plan: Plan, deadline: float, tell: Callable[..., None]) -> None:
    for position, case in enumerate(cases):
        left_s = max(deadline - time.monotonic(), 0.0)
        seconds = left_s * case.weight / sum(one.weight for one in cases[position:])
        tell(case=case.name, seconds=seconds, setup=msgspec.to_builtins(_setup_of(case, plan.device)))
        for record in _records_of(case, plan.device, seconds):
            tell(record=json.loads(records.encode(record)))


def _records_of(case: Case, device: Device, seconds: float) -> Iterator[Record]:
    if seconds <= 0:
        setup = _setup_of(case, device)
        yield Measurement(name=case.name, setup=setup, unit="s", status="skipped", reason=NO_TIME_FOR_CASE)
        return
    try:
        yield from case.run(seconds)
    except UserError:
        raise
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        yield Measurement(name=case.name, setup=_setup_of(case, device), unit="s", status=status, reason=reason)


def _setup_of(case: Case, device: Device) -> Setup:
    return msgspec.structs.replace(case.setup or Setup(), device=device.id)
