"""What `bench` does: the cases of all experiments, run within the budget, into one run file.

Beforehand it finds out which narrow dtypes the devices really compute in: some end the process, and that is met once
here, not in every experiment.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from torchstone.backends import find_device, may_be_forked
from torchstone.errors import UserError
from torchstone.experiments import Plan, cases_of
from torchstone.interrupting import something_to_keep
from torchstone.machine import busyness
from torchstone.machine.dtypes import NARROW, fact_name, with_narrow_dtypes
from torchstone.processes import ForkServer
from torchstone.records import Device, Finding, Line, Run, Scalar
from torchstone.scheduling.case import Case
from torchstone.scheduling.runner import Progress, Runner, skipped_for_time
from torchstone.store import RunWriter

PRELOAD = ("torch", "torch._dynamo")
"""The second is what the first step of an optimizer imports, for two seconds: once for all workers."""
DTYPE_HINT = "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 keeps oneDNN from instructions that a virtual machine does not grant"


@dataclass(frozen=True)
class Request:
    """What a person asked of `bench`."""

    experiments: tuple[str, ...]
    devices: tuple[Device, ...]
    budget_s: float
    model: str | None = None
    input_shape: str | None = None
    options: Mapping[str, Scalar] = field(default_factory=dict)
    is_deep: bool = False
    is_named: bool = True
    """Whether the experiments were named, rather than all taken."""
    wait_quiet_s: float = 0.0
    """How long to wait for a machine that others keep busy."""


@dataclass(frozen=True)
class Ended:
    """What came of it."""

    run: Run
    url: str
    """Of the run file; empty where there was nothing to keep in one."""
    mistakes: tuple[UserError, ...] = ()
    """What kept an experiment from running, such as a missing extra."""
    interrupted: BaseException | None = None
    trouble: UserError | None = None
    """Why a record could not be kept, where one could not."""


def run_bench(
    request: Request, open_run: Callable[[tuple[Device, ...]], RunWriter], show: Callable[[Progress], None]
) -> Ended:
    """Run everything asked for; an interrupt keeps what was measured. Where a mistake kept everything from being run,
    it is raised."""
    at_start = _watch_machine(request, show)
    with _server(request.devices) as server:
        show(Progress("finding out what the devices compute in", request.budget_s, 0, 0))
        devices = tuple(with_narrow_dtypes(device, server) for device in request.devices)
        writer = open_run(devices)
        keep = _Keep(writer, [*at_start, *(finding for device in devices for finding in _dtype_findings(device))])
        runner = Runner(
            partial(all_cases, request.experiments, _plan(request, devices, writer.url)),
            keep,
            show,
            budget_s=request.budget_s,
            server=server,
            finished=frozenset(one.case for one in writer.run.finished if not one.is_undecided),
            known=writer.run.records,
        )
        interrupted: BaseException | None = None
        before = busyness.look()
        try:
            with something_to_keep():
                runner.run()
                for record in skipped_for_time(runner.left):
                    keep(record)
                if not keep.opening:
                    writer.append_all(busyness.explain(busyness.between(before, busyness.look()), "during the run"))
        except KeyboardInterrupt as error:
            interrupted = error
    if not writer.run.measurements and runner.mistakes:
        writer.discard()
        raise runner.mistakes[0]
    is_kept = bool(writer.run.records)
    writer.discard_if_empty()
    writer.close()
    return Ended(writer.run, writer.url if is_kept else "", tuple(runner.mistakes), interrupted, writer.trouble)


@dataclass(frozen=True)
class _Keep:
    """Writes what is found; before the first of it what was found beforehand, which alone would be no run."""

    writer: RunWriter
    opening: list[Finding]

    def __call__(self, line: Line) -> None:
        self.writer.append_all(*self.opening, line)
        self.opening.clear()


def _watch_machine(request: Request, show: Callable[[Progress], None]) -> tuple[Finding, ...]:
    """Wait for a quiet moment where that was asked for; say where there is none."""
    seen = None
    for seen in busyness.wait_until_quiet(request.wait_quiet_s):
        waiting = f"waiting for a quiet machine: others keep {seen.others:.1f} of {seen.cores} cores busy"
        show(Progress(waiting if request.wait_quiet_s else "looking at the machine", request.budget_s, 0, 0))
    return () if seen is None else (busyness.explain(seen, "at the start"),)


def all_cases(experiments: Iterable[str], plan: Plan) -> Iterator[Case | UserError]:
    """In the worker: of all experiments, each with its mistake if it makes one."""
    for device in plan.others:
        find_device(device.id)  # brings in the package that registers it
    for name in experiments:
        yield from cases_of(name, plan)


def _plan(request: Request, devices: tuple[Device, ...], run_url: str) -> Plan:
    return Plan(
        devices=devices,
        model=request.model,
        input_shape=request.input_shape,
        options=dict(request.options),
        artifacts=_artifacts_beside(run_url),
        is_deep=request.is_deep,
        is_asked_for=request.is_named,
    )


def _dtype_findings(device: Device) -> Iterator[Finding]:
    """That bfloat16 can't be used is said once; that the CPU has no float16 kernels nobody misses."""
    dtype = NARROW[0]
    fact = device.facts.get(fact_name(dtype))
    if fact is not None and fact.value is None:
        yield Finding(
            kind="dtype",
            subject=f"{dtype} on {device.id}",
            verdict="not usable",
            level="note",
            tier="measured",
            evidence=fact.reason or "",
            hint=DTYPE_HINT if device.kind == "cpu" else None,
            facts={"device": device.id},
        )


@contextmanager
def _server(devices: tuple[Device, ...]) -> Iterator[ForkServer | None]:
    with ForkServer(PRELOAD) if may_be_forked(device.kind for device in devices) else nullcontext() as server:
        yield server


def _artifacts_beside(run_url: str) -> str | None:
    """Pictures and checkpoints go to a folder beside a local run file."""
    if "://" in run_url:
        return None
    folder = Path(run_url.removesuffix(".jsonl") + ".files")
    if folder.is_symlink():
        raise UserError(f"{folder} is a link, which may lead anywhere", "remove it, or give another folder with --runs")
    return str(folder)
