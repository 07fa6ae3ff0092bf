"""Will it run on a device that is not here: a trace of one step, judged by the evidence in the person's own torch."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from torchstone.checking import moving
from torchstone.checking.answer import Answer, CheckFinding, Verdict, verdict_of, weight_of
from torchstone.checking.building import Build
from torchstone.checking.confirming import NEEDS_DEVICE, NEEDS_GRADIENT, confirm
from torchstone.checking.hints import FALLBACK, hint_for, tell_fallback
from torchstone.checking.host import NAMED
from torchstone.checking.limiting import MORE_TIME, run_limited
from torchstone.checking.limits import LAST_READ
from torchstone.checking.seeming import KINDS, lacks_a_device
from torchstone.checking.trace import ASKS_DEVICE, NO_SIZE, Guess, Place, Stop, Trace, TracedCall
from torchstone.checking.tracing import Question, trace_step
from torchstone.errors import UserError
from torchstone.ops.wheels import FAILURES, Cell, Evidence, computing_dtype, evidence_for, newer_evidence, numbers_of
from torchstone.processes import Outcome

TRACE_LIMIT_S = 600.0
ENDED_HINT = "torchstone cannot trace it: run the same check on a machine with the device"
OURS_HINT = "torchstone cannot follow this model: run the same check on a machine with the device, and report this"
KILLED_HINT = "run it again; if memory was short, build the model under torch.device('meta')"
WAY_HINT = (
    "each read waits for the device; where a branch or a size depends on it, the way taken here is one of several: "
    "check it on the device too, or decide by shapes instead of values"
)
SIZE_HINT = (
    "what follows was judged for ones in the place of those values; where no `if` asks for that size, it is the same"
)
NO_VALUE = "a value is read, which a trace does not have; whether a branch depends on it is not known"
NOT_SHOWN = "torch calls this line from a function of its own, in which a trace cannot show it the device"
CAUGHT = "{}; {} may catch that, and what it does then is not traced"
CAUGHT_HINT = "check it on {} itself, or choose by x.device.type before the call, so that a trace can follow"
UNKNOWN_STOP = "the trace ends here, and what follows is not judged: see that the model runs on the CPU"
IMPORT_HINT = "put the folder of that module on sys.path, or name a function that builds the model: file.py:name"
KEYS = {"mps": "MPS", "cuda": "CUDA", "rocm": "CUDA", "xpu": "XPU", "cpu": "CPU"}
VERDICTS: dict[str, Verdict] = {
    "ok": "runs",
    "unsupported": "will_not_run",
    "dtype": "will_not_run",
    "falls_back": "falls_back",
    "unknown": "unknown",
}
NO_TRANSFORM = "Unsupported dtype "
"""ATen/native/SpectralOps.cpp (promote_type_fft)."""
CASTS = ("aten::_to_copy", "aten::copy_")
"""They tell of the dtype that a function is given or gives, not of the one that it computes in."""
ANY_PLACE: dict[str, Any] = {"phase": "", "module": "", "dtypes": ()}
ON_MPS_INSTEAD = {
    "aten::_thnn_fused_lstm_cell": "aten::_lstm_mps",
    "aten::_thnn_fused_lstm_cell_backward_impl": "aten::lstm_mps_backward",
    "aten::_thnn_fused_gru_cell": "aten::gru_cell",
    "aten::_thnn_fused_gru_cell_backward": "aten::gru_cell",
}
"""What recurrent layers call on an out-of-tree device alone, and what they are on MPS (ATen/native/RNN.cpp)."""


def preflight(
    build: Build, device: str, *, train: bool = False, newer: str | None = None, limit_s: float = TRACE_LIMIT_S
) -> Answer:
    """Trace one step in a process of its own, and judge it; `newer` is a later torch to look into for what it mends."""
    evidence = evidence_for(device)
    later = newer_evidence(device, evidence.torch, newer)
    question = Question(evidence.device, tuple(sorted(evidence.overrides)), evidence.opened, train)
    trace = _traced(build, question, limit_s)
    if trace.stop is not None and NEEDS_GRADIENT in trace.stop.message and not train:
        trace = _traced(build, replace(question, with_gradients=True), limit_s)
    return judge_trace(_confirmed(trace, build, evidence, limit_s, train), evidence, later)


def _traced(build: Build, question: Question, limit_s: float) -> Trace:
    outcome, place = run_limited(partial(trace_step, build, question), limit_s, Trace)
    outcome.raise_user_error()
    return _taken(outcome, place)


def _confirmed(trace: Trace, build: Build, evidence: Evidence, limit_s: float, train: bool) -> Trace:
    """With what the CPU says, where nothing is known of what stopped the trace."""
    stop = trace.stop
    if (
        stop is None
        or stop.hint
        or stop.place.source in _refused_lines(trace, evidence)
        or _hint_for_stop(stop, evidence)
    ):
        return trace
    return msgspec.structs.replace(trace, stop=confirm(stop, build, trace.parameters, limit_s, train=train))


def _refused_lines(trace: Trace, evidence: Evidence) -> set[str]:
    return {one.source for one in _judge_calls(trace.calls, evidence, ()) if one.verdict == "will_not_run"}


def _taken(outcome: Outcome, place: Place) -> Trace:
    if isinstance(outcome.value, Trace):
        return outcome.value
    words = outcome.error.message if outcome.error is not None else outcome.detail
    if outcome.ended == "out_of_memory":
        raise UserError("building the model took more memory than there is", "build it under torch.device('meta')")
    if outcome.error is not None and outcome.error.name == "ModuleNotFoundError":
        raise UserError(f"the model cannot be rebuilt in a process of its own: {words}", IMPORT_HINT)
    if outcome.ended == "raised":
        return Trace(stop=Stop(kind="the trace", message=f"torchstone failed: {words}", place=Place(), hint=OURS_HINT))
    if outcome.ended == "timed_out":
        return Trace(stop=Stop(kind="the model", message=outcome.detail, place=place, hint=MORE_TIME))
    message = f"the process that traced it ended: {words}"
    hint = KILLED_HINT if "SIGKILL" in outcome.detail else ENDED_HINT
    stop = Stop(kind=outcome.ended, message=message, place=Place(), hint=hint)
    return Trace(stop=stop)


def judge_trace(trace: Trace, evidence: Evidence, newer: tuple[Evidence, ...] = ()) -> Answer:
    """A finding for each call and guess, and for what stopped the trace."""
    findings = _judge_calls(trace.calls, evidence, newer)
    failing = {(one.subject, one.source) for one in findings if one.verdict == "will_not_run"}
    guessed = [_tell_guess(guess) for guess in trace.guesses]
    findings += [one for one in guessed if (one.subject.split(".")[0], one.source) not in failing]
    if trace.stop is not None and not _is_explained(trace.stop, findings):
        findings.append(_tell_stop(trace.stop, evidence))
    return Answer(
        verdict=verdict_of(findings),
        device=evidence.device,
        stage="preflight",
        findings=_merged(findings),
        peak_memory_bytes=trace.peak_bytes,
        notes=(*trace.notes, *_tell_newer(findings, evidence, newer)),
    )


def _tell_newer(findings: list[CheckFinding], evidence: Evidence, newer: tuple[Evidence, ...]) -> tuple[str, ...]:
    judged = f"judged by {evidence.source}; nothing was run on {evidence.device}"
    fails = any(one.verdict in ("will_not_run", "falls_back") and one.tier != "traced" for one in findings)
    if not fails or evidence.device != "mps":
        return (judged,)
    if newer:
        return (judged, f"looked for later kernels in torch {', '.join(one.torch for one in newer)}")
    return (judged, "--newer VERSION tells whether a later torch has what is missing (pip's index is asked)")


def _judge_calls(calls: tuple[TracedCall, ...], evidence: Evidence, newer: tuple[Evidence, ...]) -> list[CheckFinding]:
    """Of a part of another operator only a failure is told, and only where the whole does not fail already."""
    findings = [_allowed_to_fall_back(_judge_call(call, evidence, newer)) for call in calls]
    fails = ("will_not_run", "falls_back")
    refused = {(call.op, one.source) for call, one in zip(calls, findings, strict=True) if one.verdict in fails}
    told = [
        _unless_caught(one, call, evidence)
        for call, one in zip(calls, findings, strict=True)
        if not call.part_of or (one.verdict in fails and (call.part_of, one.source) not in refused)
    ]
    return [*told, *_doubt_functions(calls, findings, evidence)]


def _doubt_functions(
    calls: tuple[TracedCall, ...], findings: list[CheckFinding], evidence: Evidence
) -> Iterator[CheckFinding]:
    """Of functions that PyTorch's CI expects to fail in a dtype, and of whose parts nothing shows that."""
    shown = {
        (call.within, one.source)
        for call, one in zip(calls, findings, strict=True)
        if one.verdict in ("will_not_run", "falls_back") or one.likely in FAILURES
    }
    for call in calls:
        function, dtype = (call.within, call.place.source), computing_dtype(call.inputs, call.outputs)
        reason = evidence.expected_failure(call.within, dtype) if call.within and function not in shown else ""
        if reason and call.op not in CASTS:
            shown.add(function)
            yield CheckFinding(
                subject=call.within.removeprefix("functional."),
                verdict="unknown",
                tier="ci-tables",
                dtypes=(dtype,),
                calls=call.calls,
                hint=".float() before this call, and .to(x.dtype) after it",
                reason=f"{reason}: at least one sample fails",
                likely="dtype",
                **_where(call.place, call.modules),
            )


def _allowed_to_fall_back(finding: CheckFinding) -> CheckFinding:
    """Where the person has switched the fallback on, a missing kernel does not raise."""
    name, _, value = FALLBACK.partition("=")
    if finding.verdict != "will_not_run" or os.environ.get(name) != value or FALLBACK not in finding.hint:
        return finding
    return msgspec.structs.replace(finding, verdict="falls_back")


def _unless_caught(finding: CheckFinding, call: TracedCall, evidence: Evidence) -> CheckFinding:
    """A failure that the program catches is one way of several."""
    if finding.verdict != "will_not_run" or not call.handler:
        return finding
    reason, hint = CAUGHT.format(finding.reason, call.handler), CAUGHT_HINT.format(evidence.device)
    return msgspec.structs.replace(finding, verdict="unknown", likely="unsupported", reason=reason, hint=hint)


def _judge_call(call: TracedCall, evidence: Evidence, newer: tuple[Evidence, ...]) -> CheckFinding:
    if not call.op.startswith("aten::"):
        return _judge_custom(call, evidence)
    op = ON_MPS_INSTEAD.get(call.op, call.op) if evidence.device == "mps" else call.op
    cell = evidence.call(op, call.inputs, call.outputs, requested=call.requested, within=call.within)
    if call.limit and cell.verdict not in FAILURES:
        return _tell_limit(call, evidence)
    if call.doubt and cell.verdict not in FAILURES:
        return _tell_doubt(call, evidence)
    return CheckFinding(
        subject=cell.op,
        verdict=VERDICTS[cell.verdict],
        tier=cell.tier,
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint=hint_for(cell, evidence, call, newer),
        reason=cell.reason,
        likely=_likely(cell),
        **_where(call.place, call.modules),
    )


def _tell_limit(call: TracedCall, evidence: Evidence) -> CheckFinding:
    """The operator is there, and refuses what it is given; of a later torch that is not known."""
    is_known = numbers_of(evidence.torch)[:2] <= LAST_READ
    told: Verdict = "falls_back" if call.falls_back else "will_not_run"
    return CheckFinding(
        subject=call.op.split(".")[0],
        verdict=told if is_known else "unknown",
        tier="message",
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint=tell_fallback(call) if call.falls_back else call.advice,
        reason=f'to such a call it says: "{call.limit}"',
        **_where(call.place, call.modules),
    )


def _tell_doubt(call: TracedCall, evidence: Evidence) -> CheckFinding:
    """The device has no such tensors, but not every operator of it says so."""
    return CheckFinding(
        subject=call.op.split(".")[0],
        verdict="unknown",
        tier="message",
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint=f"check it on {evidence.device} itself, or do without such a tensor",
        reason=call.doubt if call.place.phase == moving.PHASE else f'it likely says: "{call.doubt}"',
        likely="unsupported",
        **_where(call.place, call.modules),
    )


def _likely(cell: Cell) -> str | None:
    return cell.likely if cell.verdict == "unknown" else None


def _judge_custom(call: TracedCall, evidence: Evidence) -> CheckFinding:
    """An operator that is not torch's own: by the kernels that its library has registered here."""
    key = KEYS[evidence.device]
    composite = any(one.startswith("Composite") for one in call.kernels)
    verdict: Verdict = "runs" if key in call.kernels else "unknown" if composite else "will_not_run"
    registered = ", ".join(call.kernels) or "no device"
    hint = "" if verdict == "runs" else f"its library has kernels for {registered}: ask it for one for {key}"
    return CheckFinding(
        subject=call.op,
        verdict=verdict,
        tier="dispatcher",
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint=hint,
        reason=f"kernels are registered for {registered}",
        likely="ok" if composite else None,
        **_where(call.place, call.modules),
    )


def _tell_guess(guess: Guess) -> CheckFinding:
    return CheckFinding(
        subject=guess.op,
        verdict="unknown",
        tier="traced",
        hint=SIZE_HINT if guess.reason == NO_SIZE else WAY_HINT,
        reason=NOT_SHOWN if guess.op == ASKS_DEVICE else guess.reason or NO_VALUE,
        **_where(guess.place),
    )


def _is_explained(stop: Stop, findings: list[CheckFinding]) -> bool:
    """Whether the line that stopped the trace is one that will not run anyway."""
    return any(one.verdict == "will_not_run" and one.source == stop.place.source for one in findings)


def _tell_stop(stop: Stop, evidence: Evidence) -> CheckFinding:
    is_refused = stop.is_refused or _is_elsewhere(stop, evidence) or _names_device(stop, evidence)
    is_refused = is_refused or _lacks_transform(stop, evidence)
    return CheckFinding(
        subject=stop.kind,
        verdict="will_not_run" if is_refused else "unknown",
        tier="traced",
        hint=stop.hint or _hint_for_stop(stop, evidence) or UNKNOWN_STOP,
        reason=stop.message.replace("phantom", evidence.device),
        **_where(stop.place),
    )


def _is_elsewhere(stop: Stop, evidence: Evidence) -> bool:
    """Whether the program wants a device that is not the one asked for."""
    words = stop.message.lower()
    if "different device" in words:
        return True
    return lacks_a_device(words) and evidence.device not in words and any(kind in words for kind in KINDS)


def _names_device(stop: Stop, evidence: Evidence) -> bool:
    """Whether torch's own words refuse this device: `FlexAttention does not support backward on MPS`."""
    return stop.kind == "NotImplementedError" and f" on {evidence.device.upper()}." in stop.message


def _lacks_transform(stop: Stop, evidence: Evidence) -> bool:
    """Whether the device has no Fourier transform in the dtype, which torch asks before it calls an operator: half
    precision is for CUDA alone. A trace shows the casts of the device's own autocast: the dtype is the one there."""
    before, _, dtype = stop.message.partition(NO_TRANSFORM)
    is_known = evidence.device != "xpu" and numbers_of(evidence.torch)[:2] <= LAST_READ
    return bool(dtype) and not before and is_known and not (evidence.device == "cuda" and dtype == "Half")


def _hint_for_stop(stop: Stop, evidence: Evidence) -> str:
    """Where its words tell what to do."""
    if _is_elsewhere(stop, evidence):
        return NAMED
    if _names_device(stop, evidence):
        return "do without it there, or move its tensors to the CPU for this call: .cpu()"
    if _lacks_transform(stop, evidence):
        return ".float() before this call, and .to(x.dtype) after it"
    if lacks_a_device(stop.message):
        return NEEDS_DEVICE
    return ""


def _where(place: Place, modules: int = 1) -> dict[str, Any]:
    return {"phase": place.phase, "module": place.module, "modules": modules, "source": place.source}


def _merged(findings: list[CheckFinding]) -> tuple[CheckFinding, ...]:
    """One for each cause: what runs is told by its dtypes; what does not by the operator, the reason and the line, in
    however many modules, phases and dtypes it comes."""
    alike: dict[Any, list[CheckFinding]] = {}
    for one in findings:
        told = {"calls": 0, "modules": 0} if weight_of(one) == "runs" else {**ANY_PLACE, "calls": 0, "modules": 0}
        alike.setdefault(msgspec.structs.replace(one, **told), []).append(one)
    return tuple(_merge(some) for some in alike.values())


def _merge(alike: list[CheckFinding]) -> CheckFinding:
    """With the place of the first."""
    return msgspec.structs.replace(
        alike[0],
        calls=sum(one.calls for one in alike),
        modules=max(len({one.module for one in alike}), *(one.modules for one in alike)),
        dtypes=tuple(dict.fromkeys(dtype for one in alike for dtype in one.dtypes)),
    )
