"""The atlas: every operator in every dtype on a device, in worker processes, into a run file that can be resumed.

A segfault, an abort, a hang or an allocation without end costs one operator in one dtype; the worker is replaced.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

from torchstone.backends import import_package_of, may_be_forked
from torchstone.errors import UserError, first_line_of, spell_some
from torchstone.interrupting import something_to_keep
from torchstone.ops.verdicts import EITHER, OpCell, cells_of, finding
from torchstone.processes import ForkServer
from torchstone.records import Device, Finding, Line, Run, Scalar, Setup
from torchstone.scheduling.case import Case, Turn, case
from torchstone.scheduling.runner import Progress, Runner
from torchstone.store import RunWriter

PRELOAD = ("torch", "torch._dynamo", "torch.testing._internal.common_methods_invocations")
LIMIT_S = 120.0
"""An operator that takes longer in one dtype hangs; on two busy cores the slowest took 30 s."""
MEMORY_BYTES = 6 << 30
"""Of a worker, where the system can be told to hold it to that."""
SLOWEST_FIRST = (
    "linalg.lstsq",
    "ldexp",
    "nn.functional.max_pool3d",
    "nn.functional.max_unpool3d",
    "nn.functional.conv3d",
    "nn.functional.avg_pool3d",
    "nn.functional.multi_head_attention_forward",
    "linalg.pinv",
    "nn.functional.max_pool2d",
    "svd_lowrank",
    "pca_lowrank",
    "nn.functional.fractional_max_pool3d",
    "nn.functional.max_unpool2d",
    "nn.functional.interpolate",
    "nn.functional.scaled_dot_product_attention",
    "masked.var",
    "masked.std",
    "nn.functional.grid_sample",
    "linalg.svd",
    "cdist",
)


@dataclass(frozen=True)
class Request:
    """What a person asked of the atlas."""

    device: Device
    patterns: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    """All where none is named."""
    samples: int | None = None
    jobs: int = 2
    budget_s: float = float("inf")
    limit_s: float = LIMIT_S
    probes: bool = False
    """Ask the operators that models use under difficult conditions, instead of all by their samples."""
    speed: bool = False
    """Instead, race the operators that models use against the CPU."""


@dataclass(frozen=True)
class Ended:
    """What came of it."""

    run: Run
    url: str
    left: int | None = 0
    """Cases that the budget, or what ended the sweep early, left; None where that came before they were counted."""
    interrupted: BaseException | None = None
    trouble: UserError | None = None
    """What stopped the sweep: a full disk, a device that has died for good."""
    budget_s: float = math.inf
    left_names: tuple[str, ...] = ()
    """What the budget left, by name."""

    @property
    def is_whole(self) -> bool:
        """Whether it went on until all was done or the budget spent."""
        return self.interrupted is None and self.trouble is None

    @property
    def cells(self) -> list[OpCell]:
        return cells_of(self.run.findings)


def run_atlas(request: Request, writer: RunWriter, show: Callable[[Progress], None]) -> Ended:
    """Judge all that is asked for; an interrupt keeps what was found."""
    interrupted: BaseException | None = None
    trouble: UserError | None = None
    with _server(request.device) as server:
        runner = make_runner(request, server, writer.append, show, {one.case for one in writer.run.finished})
        try:
            with something_to_keep():
                runner.run()
        except KeyboardInterrupt as error:
            interrupted = error
        except UserError as error:
            trouble = error
    if interrupted is None:  # else who goes on with the last run would get the one before
        writer.discard_if_empty()
    mistake = runner.mistakes[0] if runner.mistakes else None
    if (mistake or trouble) and not writer.run.records:
        raise mistake or trouble  # type: ignore[misc]
    stopped = trouble or writer.trouble or mistake
    left = len(runner.left) if interrupted is None and trouble is None else runner.unfinished
    names = tuple(dict.fromkeys(one.name.partition("/")[2] for one in runner.left))
    return Ended(writer.run, writer.url, left, interrupted, stopped, request.budget_s, names)


def make_runner(
    request: Request,
    server: ForkServer | None,
    keep: Callable[[Line], None],
    show: Callable[[Progress], None] = lambda progress: None,
    finished: Iterable[str] = (),
) -> Runner:
    """What hands the cases out."""
    return Runner(
        partial(all_cases, request),
        keep,
        show,
        budget_s=request.budget_s,
        workers=request.jobs,
        server=server,
        finished=frozenset(finished),
        memory_bytes=MEMORY_BYTES if request.device.kind in ("cpu", "pretend") else None,
    )


@contextmanager
def _server(device: Device) -> Iterator[ForkServer | None]:
    with ForkServer(PRELOAD) if may_be_forked([device.kind]) else nullcontext() as server:
        yield server


def all_cases(request: Request) -> Iterator[Case]:
    """In the worker: refuses first a device that no longer answers, so that a sweep does not go on without it."""
    import torch

    import_package_of(request.device.id)
    _refuse_the_dead(request.device.id)
    if not request.speed:
        torch.set_num_threads(1)
    torch.set_warn_always(True)
    if request.probes:
        from torchstone.ops.probes.cases import probe_cases

        yield from probe_cases(request.device.id, request.patterns, request.dtypes, request.limit_s)
        return
    if request.speed:
        from torchstone.ops.speed import speed_cases

        yield from speed_cases(request.device.id, request.patterns)
        return
    yield from atlas_cases(request)


def atlas_cases(request: Request) -> Iterator[Case]:
    """One per operator and dtype; where there is none, a sentence why not, rather than a sweep of nothing."""
    import torch

    from torchstone.ops.catalog import all_operators
    from torchstone.ops.judging import identity_of, judge
    from torchstone.ops.known import keep_known, known_of, refuse_unjudged
    from torchstone.ops.operators import Operator, dtype_name, dtypes_of, matching

    wanted = [getattr(torch, name) for name in request.dtypes] or None

    def run(operator: Operator, dtype: torch.dtype, turn: Turn) -> Iterator[Finding]:
        turn.note(f"{operator.full_name} {dtype_name(dtype)}")
        yield from judge(operator, dtype, request.device.id, request.samples)

    keep_known(all_operators())
    kind = torch.device(request.device.id).type
    named = matching(all_operators(), request.patterns)
    claimed = [operator for operator in named if operator.is_claimed_by(kind)]
    if not claimed:
        names = spell_some([one.full_name for one in named])
        raise UserError(f"{request.device.id} has registered no kernels for {names}", "name other operators")
    refuse_unjudged(known_of(claimed), request.dtypes)
    for operator in claimed:
        for dtype in dtypes_of(operator, wanted):
            identity = identity_of(operator, dtype, request.device.id)
            yield case(
                f"ops/{operator.full_name}",
                partial(run, operator, dtype),
                setup=Setup(device=request.device.id, dtype=dtype_name(dtype)),
                rank=rank_of(operator.name),
                is_timed=False,
                limit_s=request.limit_s,
                finding=lost_finding(identity),
            )


def lost_finding(identity: dict[str, Scalar]) -> Finding:
    """What is put on record of a case whose process dies."""
    hint = "`torchstone ops show` gives the call; a newer torch or driver may have mended it"
    return finding(identity, EITHER, "crash", "", hint)


def rank_of(name: str) -> int:
    """The slowest first, so that none is left alone at the end."""
    return SLOWEST_FIRST.index(name) if name in SLOWEST_FIRST else len(SLOWEST_FIRST)


def _refuse_the_dead(device_id: str) -> None:
    import torch

    try:
        answer = (torch.ones(2, device=device_id) + 1).cpu().tolist()
    except Exception as error:  # whatever a driver raises
        answer = [first_line_of(error)]
    if answer != [2.0, 2.0]:
        raise UserError(
            f"{device_id} does not answer any more: 1 + 1 gave {answer}",
            "what was found so far is kept: restart the device, then go on with --resume",
        )
