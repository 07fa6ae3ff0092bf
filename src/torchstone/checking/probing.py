"""The operators of a step again, under the conditions in which devices have been silently wrong.

First at the step's own shapes, strides and dtypes: each recorded call through other layouts, with difficult values,
into guarded targets, backward, alone and in pairs; calls of the same operator in turns, many times without waiting, and
after memory was dirtied. All calls of an operator share a process, because a fresh one hides what depends on history.
Then, as far as the time goes, the same operators at the sizes and options of `ops --probe`: what is wrong there is
told, and is no verdict on this model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from torchstone.backends import find_device
from torchstone.checking.answer import CheckFinding, Verdict
from torchstone.checking.calls import Call, ListedCall, find_operator, listed_calls, load_call
from torchstone.checking.replay import HINT, tell_call
from torchstone.errors import spell_some
from torchstone.ops.placing import map_leaves, tensors
from torchstone.ops.probes.bases import Base, Sizes
from torchstone.ops.probes.cases import COPIES, DRAW, probe_cases
from torchstone.ops.probes.conditions import Point, Thresholds
from torchstone.ops.probes.drawing import Draw
from torchstone.ops.probes.judging import Prober
from torchstone.ops.probes.randomness import DRAWS
from torchstone.ops.probes.reaching import bases_reaching
from torchstone.ops.probes.state import probe_state
from torchstone.records import Finding, Level, Line, Setup
from torchstone.scheduling import Case, Runner, Turn
from torchstone.scheduling.case import case

KIND = "check probe"
LIMIT_S = 300.0
MOST_CALLS = 8
"""Distinct calls of one operator that are put through all conditions."""
SKIPPED = "skipped"
"""The verdict of a case that the budget ended: nothing is known."""
LEFT_OUT = "left_out"
BEYOND_RANK = 1 << 20


@dataclass
class Probed:
    """What the probes of a step found."""

    findings: list[CheckFinding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unbegun: tuple[str, ...] = ()
    """Operators of the step for which there was no time."""


def probe_step(folder: Path, device: str, budget_s: float) -> Probed:
    """Probe the recorded calls in workers, the operators that are called most often first."""
    found: list[Finding] = []
    runner = Runner(partial(provide, str(folder), device), partial(_keep, found), budget_s=budget_s)
    runner.run()
    listed = listed_calls(folder)
    probed = Probed([_tell(one, listed) for one in found if one.kind == KIND and one.verdict != SKIPPED])
    probed.notes += _tell_beyond([one for one in found if one.kind != KIND and one.level == "problem"], probed.findings)
    left = [*(one for one in found if one.verdict == SKIPPED), *(one.finding for one in runner.left if one.finding)]
    probed.unbegun = tuple(dict.fromkeys(one.subject for one in left if one.kind == KIND))
    probed.notes += tell_left(probed.unbegun, sum(one.kind != KIND for one in left), found)
    return probed


def tell_left(unbegun: Sequence[str], beyond: int, found: list[Finding]) -> list[str]:
    """What there was no time for: operators of the step, probes beyond it, and conditions of what was begun."""
    cut = {one.subject: int(str(one.facts[LEFT_OUT])) for one in found if one.facts.get(LEFT_OUT)}
    words = [
        f"{len(unbegun)} operators ({spell_some(unbegun)})" if unbegun else "",
        f"{sum(cut.values())} conditions of {len(cut)} more ({spell_some(list(cut))})" if cut else "",
        f"{beyond} of the probes beyond this step" if beyond else "",
    ]
    told = "; ".join(filter(None, words))
    return [f"no time was left to probe {told}: give more with --budget"] if told else []


def _tell_beyond(found: list[Finding], told: list[CheckFinding]) -> list[str]:
    """One line for each operator that is right in this step and wrong elsewhere."""
    wrong = {one.subject for one in told if one.verdict != "runs"}
    first = {one.facts["op"]: one for one in reversed(found) if one.facts["op"] not in wrong}
    return [f"right in this step, and elsewhere {one.verdict}: {one.subject}: {one.evidence}" for one in first.values()]


def _keep(found: list[Finding], line: Line) -> None:
    if isinstance(line, Finding):
        found.append(line)


def provide(folder: str, device: str) -> Iterator[Case]:
    """The cases of a worker: an operator with all its calls, each; then what lies beyond the step."""
    listed = listed_calls(Path(folder))
    by_op: dict[str, list[ListedCall]] = {}
    for one in listed:
        by_op.setdefault(one.op, []).append(one)
    device_id = find_device(device)[1].id
    for op, calls in by_op.items():
        if is_probed(find_operator(op)):
            yield case(
                f"check probe/{op}",
                partial(_run, folder, calls, device_id),
                setup=Setup(device=device_id),
                rank=-sum(one.calls for one in calls),
                is_timed=False,
                limit_s=LIMIT_S,
                finding=_finding(calls[0], "lost", ""),
            )
    if listed:
        yield from _beyond(device_id, set(by_op), {dtype for one in listed for dtype in one.dtypes})


def _beyond(device_id: str, ops: set[str], dtypes: set[str]) -> Iterator[Case]:
    names = {op.removeprefix("aten::").split(".")[0] for op in ops}
    draws = [f"{DRAW}{name}" for name in DRAWS if name in names or f"native_{name}" in names]
    patterns = [COPIES, *draws, *bases_reaching(names)]
    for one in probe_cases(device_id, patterns, sorted(dtypes), LIMIT_S):
        yield Case(msgspec.structs.replace(one.listing, rank=BEYOND_RANK), one.run)


def is_probed(operator: Any) -> bool:
    """Not what draws at random, nor what writes into an argument and has no form that does not."""
    if torch.Tag.nondeterministic_seeded in operator.tags:
        return False
    return not operator._schema.is_mutable or functional_of(operator) is not None


def functional_of(operator: Any) -> Any:
    """Of an in-place operator, the one that gives its result anew; None where there is none."""
    packet = operator.overloadpacket.__name__
    found = getattr(torch.ops.aten, packet.removesuffix("_"), None) if packet.endswith("_") else None
    functional = getattr(found, operator._overloadname, None)
    return functional if functional is not None and not functional._schema.is_mutable else None


def base_of(call: Call, with_gradient: bool) -> Base:
    """A recorded call as something that can be put through conditions; its own values are the plain ones."""
    name = call.function.overloadpacket.__name__
    in_place = name if call.function._schema.is_mutable else None
    function = functional_of(call.function) if in_place is not None else call.function
    floating = [one.dtype for one in tensors((call.args, call.kwargs)) if one.is_floating_point() or one.is_complex()]
    return Base(
        name.removesuffix("_") if in_place else name,
        partial(_call, function),
        partial(_arguments, call.args),
        {},
        (floating[0] if floating else tensors((call.args, call.kwargs))[0].dtype,),
        kwargs=call.kwargs,
        has_gradient=with_gradient and bool(floating),
        in_place=in_place if in_place is not None and hasattr(Tensor, in_place) else None,
    )


def _call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The values without the indices that come with them: among equal values any may be named."""
    result = function(*args, **kwargs)
    floating = [one for one in tensors(result) if one.is_floating_point() or one.is_complex()]
    return floating or result


def _arguments(args: tuple[Any, ...], draw: Draw, _: Sizes) -> tuple[Any, ...]:
    def change(leaf: Any) -> Any:
        return Draw(leaf.dtype, draw.values).make_difficult(leaf) if _is_floating(leaf) else leaf

    found: tuple[Any, ...] = map_leaves(args, change)
    return found


def _is_floating(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.is_floating_point()


def _finding(listed: ListedCall, verdict: str, evidence: str, left_out: int = 0) -> Finding:
    level: Level = "ok" if verdict == "right" else "problem"
    return Finding(
        kind=KIND,
        subject=listed.op,
        verdict=verdict,
        level=level,
        tier="measured",
        evidence=evidence,
        facts={"number": listed.number, LEFT_OUT: left_out},
    )


def _run(folder: str, listed: list[ListedCall], device_id: str, turn: Turn) -> Iterator[Finding]:
    turn.note(f"probing {listed[0].op}")
    backend, _ = find_device(device_id)
    device = torch.device(device_id)
    trains = any(one.phase == "backward" for one in listed_calls(Path(folder)))
    probers = {
        one: Prober(base_of(load_call(Path(folder), one.number), trains), device, Thresholds(), lambda: turn.is_over)
        for one in listed[:MOST_CALLS]
    }
    for prober in probers.values():
        prober.run_alone()
    found = {one: [(wrong.words, wrong.reason) for wrong in prober.wrong] for one, prober in probers.items()}
    for one, words, reason in _take_turns(probers):
        found[one].append((words, reason))
    for one, prober in probers.items():
        prober.wrong.clear()
        probe_state(prober, lambda: backend.empty_cache(device_id))
        prober.run_pairs()
        found[one] += [(wrong.words, wrong.reason) for wrong in prober.wrong]
    yield from _report(listed[0], probers, found)


def _take_turns(probers: dict[ListedCall, Prober]) -> Iterator[tuple[ListedCall, str, str]]:
    """Calls of one operator with other scalars or shapes between: none may remember another."""
    for first, prober in probers.items():
        for second, other in probers.items():
            if first is second or prober.is_over() or prober.wrong or other.wrong:
                continue
            for one, judged in ((first, prober), (second, other)) * 2:
                judged.forget()
                reason = judged.judge(Point(judged.base.dtypes[0]))
                if reason is not None:
                    yield one, "in turns with another call of this operator", reason
                    return


def _report(
    first: ListedCall, probers: dict[ListedCall, Prober], found: dict[ListedCall, list[tuple[str, str]]]
) -> Iterator[Finding]:
    left = sum(prober.left_out for prober in probers.values())
    for one, wrong in found.items():
        if wrong:
            words, reason = wrong[0]
            more = f"; and under {len(wrong) - 1} more" if len(wrong) > 1 else ""
            yield _finding(one, "wrong", f"{words}: {reason}{more}", left)
    if not any(found.values()):
        judged = sum(prober.judged for prober in probers.values())
        words = f"right under {judged} conditions" + (f"; no time for {left} more" if left else "")
        yield _finding(first, "right", words, left)


def _tell(found: Finding, listed: list[ListedCall]) -> CheckFinding:
    one = listed[int(str(found.facts["number"]))]
    if found.verdict == "right":
        return tell_call(one, "runs", "", found.evidence)
    verdict: Verdict = "wrong" if found.verdict == "wrong" else "will_not_run"
    return tell_call(one, verdict, HINT, f"{found.verdict} under a condition of the probes: {found.evidence}")
