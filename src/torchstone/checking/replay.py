"""Each distinct call of one step, recorded on the CPU with its real values and replayed on the device, one by one.

A whole model tells where errors first show; single calls tell which operators are right, wrong, missing or sent to the
CPU, and their times. A call that crashes or hangs the device costs itself alone: it runs in a worker that is replaced.
"""

import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from torchstone.backends import find_device
from torchstone.checking.answer import CheckFinding, Verdict
from torchstone.checking.calls import Call, ListedCall, copy_to, listed_calls, load_call
from torchstone.checking.parity import FALLS_BACK, explain_difference
from torchstone.errors import one_line_of
from torchstone.processes import cut
from torchstone.records import Finding, Level, Line, Setup
from torchstone.scheduling import Case, Runner, Turn
from torchstone.scheduling.case import case

LIMIT_S = 30.0
VERDICTS: dict[str, Verdict] = {"right": "runs", "falls back": "falls_back", "wrong": "wrong"}
"""Of a replayed call; what is missing, crashes or hangs will not run."""
HINT = "compute it on the CPU for now: .cpu() before, .to(x.device) after"
REFUSED = ("missing", "fails")
"""The device said no, and lived."""


def replay(folder: Path, device: str, *, ran_whole: bool = False) -> tuple[CheckFinding, ...]:
    """Replay the recorded calls in workers. Where the whole model ran on the device, a call that it refuses is one
    that the CPU alone makes."""
    found: list[Finding] = []
    Runner(partial(provide, str(folder), device), partial(_keep, found)).run()
    listed = listed_calls(folder)
    return tuple(_tell(one, listed[int(str(one.facts["number"]))], ran_whole) for one in found)


def _keep(found: list[Finding], line: Line) -> None:
    if isinstance(line, Finding):
        found.append(line)


def provide(folder: str, device: str) -> Iterator[Case]:
    """The cases of a worker."""
    for listed in listed_calls(Path(folder)):
        yield case(
            f"replay/{listed.number}",
            partial(_replay, folder, listed, device),
            setup=Setup(device=device),
            is_timed=False,
            limit_s=LIMIT_S,
            finding=_finding(listed, "lost", ""),
        )


def _finding(listed: ListedCall, verdict: str, evidence: str, **facts: Any) -> Finding:
    level: Level = "ok" if verdict == "right" else "problem"
    told = {"number": listed.number, **facts}
    return Finding(
        kind="replay", subject=listed.op, verdict=verdict, level=level, tier="measured", evidence=evidence, facts=told
    )


def _replay(folder: str, listed: ListedCall, device: str, turn: Turn) -> Iterator[Finding]:
    call = load_call(Path(folder), listed.number)
    backend, found = find_device(device)
    torch.set_warn_always(True)
    own, cpu_s = _timed(call, "cpu")
    try:
        exact, _ = _timed(call, "cpu", torch.float64)
    except Exception:  # what can't be had in float64 is compared with the CPU as it is
        exact = own
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            got, device_s = _timed(call, found.id)
            backend.synchronize(found.id)
    except Exception as error:  # the exception is the result
        verdict = "missing" if isinstance(error, NotImplementedError) else "fails"
        yield _finding(listed, verdict, cut(one_line_of(error), 400))
        return
    reason = next((one for one in map(explain_difference, got, own, exact) if one is not None), None)
    fell = any(FALLS_BACK.search(str(one.message)) for one in warned)
    random = torch.Tag.nondeterministic_seeded in call.function.tags
    verdict = "wrong" if reason is not None and not random else "falls back" if fell else "right"
    yield _finding(listed, verdict, reason or "", cpu_s=cpu_s, device_s=device_s)


def _timed(call: Call, device: str, dtype: torch.dtype | None = None) -> Any:
    args, kwargs = copy_to((call.args, call.kwargs), device, dtype)
    began = time.perf_counter()
    result = call.function(*args, **kwargs)
    read = [leaf.detach().cpu() for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
    return read, time.perf_counter() - began


def _tell(found: Finding, listed: ListedCall, ran_whole: bool) -> CheckFinding:
    verdict = VERDICTS.get(found.verdict, "will_not_run")
    reason = f"{found.verdict}: {found.evidence}".rstrip(": ")
    if ran_whole and found.verdict in REFUSED:
        verdict, reason = (
            "runs",
            f"the whole model ran there, so it does something else in this call's place ({reason})",
        )
    return tell_call(listed, verdict, "" if verdict == "runs" else HINT, reason)


def tell_call(listed: ListedCall, verdict: Verdict, hint: str, reason: str) -> CheckFinding:
    """A finding on a recorded call, with its place."""
    return CheckFinding(
        subject=listed.op.split(".")[0],
        verdict=verdict,
        tier="measured",
        phase=listed.phase,
        dtypes=listed.dtypes,
        calls=listed.calls,
        module=listed.module,
        source=listed.source,
        hint=hint,
        reason=reason,
    )
