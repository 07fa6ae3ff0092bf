"""Will it run on a device that is not here: a trace of one step, judged by the evidence in the person's own torch."""

from functools import partial
from typing import Any

import msgspec

from torchstone.checking.answer import Answer, CheckFinding, Verdict, verdict_of
from torchstone.checking.building import Build
from torchstone.checking.hints import hint_for
from torchstone.checking.host import NAMED
from torchstone.checking.limits import LAST_READ
from torchstone.checking.trace import Guess, Place, Stop, Trace, TracedCall
from torchstone.checking.tracing import Question, trace_step
from torchstone.errors import UserError
from torchstone.ops.wheels import FAILURES, Cell, Evidence, evidence_for, newer_evidence, numbers_of
from torchstone.processes import Limits, Outcome, run_spawned

TRACE_LIMIT_S = 600.0
KEYS = {"mps": "MPS", "cuda": "CUDA", "rocm": "CUDA", "xpu": "XPU", "cpu": "CPU"}
VERDICTS: dict[str, Verdict] = {
    "ok": "runs",
    "unsupported": "will_not_run",
    "dtype": "will_not_run",
    "falls_back": "falls_back",
    "unknown": "unknown",
}
ON_MPS_INSTEAD = {
    "aten::_thnn_fused_lstm_cell": "aten::_lstm_mps",
    "aten::_thnn_fused_lstm_cell_backward_impl": "aten::lstm_mps_backward",
    "aten::_thnn_fused_gru_cell": "aten::gru_cell",
    "aten::_thnn_fused_gru_cell_backward": "aten::gru_cell",
}
"""What recurrent layers call on an out-of-tree device alone, and what they are on MPS (ATen/native/RNN.cpp)."""
NO_CUDA = ("not compiled with cuda", "not linked with support for", "no nvidia driver")


def preflight(build: Build, device: str, *, train: bool = False, newer: str | None = None) -> Answer:
    """Trace one step in a process of its own, and judge it; `newer` is a later torch to look into for what it mends."""
    evidence = evidence_for(device)
    later = newer_evidence(device, evidence.torch, newer)
    question = Question(evidence.device, tuple(sorted(evidence.overrides)), evidence.opened, train)
    outcome = run_spawned(partial(trace_step, build, question), Limits(seconds=TRACE_LIMIT_S), returns=Trace)
    outcome.raise_user_error()
    return judge_trace(_taken(outcome), evidence, later)


def _taken(outcome: Outcome) -> Trace:
    if isinstance(outcome.value, Trace):
        return outcome.value
    words = outcome.error.message if outcome.error is not None else outcome.detail
    if outcome.ended == "out_of_memory":
        raise UserError("building the model took more memory than there is", "build it under torch.device('meta')")
    if outcome.ended == "raised":
        raise RuntimeError(f"the trace failed: {outcome.detail}")
    stop = Stop(kind=outcome.ended, message=f"the process that traced it ended: {words}", place=Place())
    return Trace(stop=stop)


def judge_trace(trace: Trace, evidence: Evidence, newer: tuple[Evidence, ...] = ()) -> Answer:
    """A finding for each call and guess, and for what stopped the trace."""
    findings = _judge_calls(trace.calls, evidence, newer)
    findings += [_tell_guess(guess) for guess in trace.guesses]
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
    findings = [_judge_call(call, evidence, newer) for call in calls]
    fails = ("will_not_run", "falls_back")
    refused = {(call.op, one.source) for call, one in zip(calls, findings, strict=True) if one.verdict in fails}
    return [
        one
        for call, one in zip(calls, findings, strict=True)
        if not call.part_of or (one.verdict in fails and (call.part_of, one.source) not in refused)
    ]


def _judge_call(call: TracedCall, evidence: Evidence, newer: tuple[Evidence, ...]) -> CheckFinding:
    if not call.op.startswith("aten::"):
        return _judge_custom(call, evidence)
    op = ON_MPS_INSTEAD.get(call.op, call.op) if evidence.device == "mps" else call.op
    cell = evidence.call(op, call.inputs, call.outputs, requested=call.requested, within=call.within)
    if call.limit and cell.verdict not in FAILURES:
        return _tell_limit(call, evidence)
    return CheckFinding(
        subject=cell.op,
        verdict=VERDICTS[cell.verdict],
        tier=cell.tier,
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint=hint_for(cell, evidence, call, newer),
        reason=cell.reason,
        likely=_likely(cell),
        **_where(call.place),
    )


def _tell_limit(call: TracedCall, evidence: Evidence) -> CheckFinding:
    """The operator is there, and refuses these sizes; of a later torch that is not known."""
    is_known = numbers_of(evidence.torch)[:2] <= LAST_READ
    return CheckFinding(
        subject=call.op.split(".")[0],
        verdict="will_not_run" if is_known else "unknown",
        tier="message",
        dtypes=tuple(dict.fromkeys((*call.inputs, *call.outputs))),
        calls=call.calls,
        hint="choose sizes that it takes, or move its tensors to the CPU for this call: .cpu()",
        reason=f'for these sizes it says: "{call.limit}"',
        **_where(call.place),
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
        **_where(call.place),
    )


def _tell_guess(guess: Guess) -> CheckFinding:
    return CheckFinding(
        subject=guess.op,
        verdict="unknown",
        tier="traced",
        hint="the way taken here is one of several: check it on the device too, or decide by shapes instead of values",
        reason="what follows depends on a value, which a trace does not have",
        **_where(guess.place),
    )


def _is_explained(stop: Stop, findings: list[CheckFinding]) -> bool:
    """Whether the line that stopped the trace is one that will not run anyway."""
    return any(one.verdict == "will_not_run" and one.source == stop.place.source for one in findings)


def _tell_stop(stop: Stop, evidence: Evidence) -> CheckFinding:
    words = stop.message.lower()
    elsewhere = any(one in words for one in NO_CUDA) or "on different device" in words or "different devices" in words
    unknown = "the trace ends here, and what follows is not judged: see that the model runs on the CPU"
    hint = stop.hint or (NAMED if elsewhere else unknown)
    return CheckFinding(
        subject=stop.kind,
        verdict="will_not_run" if elsewhere or stop.hint else "unknown",
        tier="traced",
        hint=hint,
        reason=stop.message.replace("phantom", evidence.device),
        **_where(stop.place),
    )


def _where(place: Place) -> dict[str, Any]:
    return {"phase": place.phase, "module": place.module, "source": place.source}


def _merged(findings: list[CheckFinding]) -> tuple[CheckFinding, ...]:
    """Findings that differ in the number of calls alone as one."""
    kept: dict[CheckFinding, int] = {}
    for one in findings:
        key = msgspec.structs.replace(one, calls=0)
        kept[key] = kept.get(key, 0) + one.calls
    return tuple(msgspec.structs.replace(one, calls=calls) for one, calls in kept.items())
