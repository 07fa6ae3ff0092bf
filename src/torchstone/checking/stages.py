"""The whole of a check: which stages a device allows, one after the other, and the verdict over all of them."""

from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from torch import nn

from torchstone import backends
from torchstone.checking.answer import Answer, CheckFinding, verdict_of
from torchstone.checking.building import Build, build_of_model, build_of_target
from torchstone.checking.calls import record
from torchstone.checking.confirming import runs_on_host
from torchstone.checking.limiting import MORE_TIME, run_limited
from torchstone.checking.parity import Parity, compare
from torchstone.checking.preflight import TRACE_LIMIT_S, preflight
from torchstone.checking.probing import probe_step
from torchstone.checking.replay import replay
from torchstone.checking.trace import Place
from torchstone.checking.unwrapping import unwrap
from torchstone.errors import UserError, spell_some
from torchstone.files import temporary_folder
from torchstone.processes import Outcome
from torchstone.records import Device

Stage = Literal["preflight", "replay", "probes", "parity"]
STAGES: tuple[str, ...] = get_args(Stage)
HERE: tuple[str, ...] = ("parity", "replay", "probes")
"""For a device that is here, all of them: the model is built once."""
ALL = "all"
RUN_LIMIT_S = 1800.0
PROBE_BUDGET_S = 120.0
FAILS_HERE = "it fails on the CPU already: run it there first"
MAY_FAIL_HERE = (
    "its forward pass runs on the CPU: see whether a training step does, too; else torchstone cannot follow it"
)
CANNOT_FOLLOW = "torchstone cannot copy or follow this model, though it runs on the CPU: nothing of it was judged"
KILLED = "run it again, with more memory free"
FORETOLD = ("mps", "cuda", "rocm", "xpu")
"""Kinds of devices of which the files of torch tell."""


class Asked(NamedTuple):
    """How a person wants it checked."""

    train: bool
    stage: str | None
    strict: bool
    budget_s: float
    """For the probes."""
    newer: str | None
    """A later torch, to see what it mends."""
    limit_s: float | None
    """For the person's own code; None for as long as is usual."""


def check(
    model: nn.Module,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    *,
    device: str = "mps",
    train: bool = False,
    stage: str | None = None,
    strict: bool = False,
    budget_s: float = PROBE_BUDGET_S,
    newer: str | None = None,
    limit_s: float | None = None,
) -> Answer:
    """Will `model(*args, **kwargs)` run on a device, right and without falling back? The device need not be here."""
    present = find_present(device)
    light = _stages(stage, present) == ("preflight",)
    asked = Asked(train, stage, strict, budget_s, newer, limit_s)
    return _check(build_of_model(model, args, kwargs, light=light), device, present, asked)


def check_target(
    target: str,
    device: str,
    *,
    input_shape: str | None = None,
    train: bool = False,
    stage: str | None = None,
    strict: bool = False,
    budget_s: float = PROBE_BUDGET_S,
    newer: str | None = None,
    limit_s: float | None = None,
) -> Answer:
    """The same of a TARGET, whose code is run once, in a process of its own."""
    asked = Asked(train, stage, strict, budget_s, newer, limit_s)
    return _check(build_of_target(target, input_shape), device, find_present(device), asked)


def find_present(device: str) -> Device | None:
    """The device where it is here; None where it is not but can be foretold."""
    try:
        return backends.find_device(device)[1]
    except UserError:
        if device.split(":")[0] in FORETOLD:
            return None
        raise


def _stages(stage: str | None, present: Device | None) -> tuple[str, ...]:
    if stage is not None and stage not in STAGES:
        raise UserError(f"no stage {stage!r}", f"the stages: {', '.join(STAGES)}")
    if present is None and stage not in (None, "preflight"):
        raise UserError(f"{stage} needs the device, which is not here", "leave --stage out, for preflight")
    if stage is not None:
        return (stage,)
    return ("preflight",) if present is None else HERE


def _check(build: Build, device: str, present: Device | None, asked: Asked) -> Answer:
    stages = _stages(asked.stage, present)
    if stages == ("preflight",):
        kind, limit_s = present.kind if present is not None else device, asked.limit_s or TRACE_LIMIT_S
        answer = preflight(build, kind, train=asked.train, newer=asked.newer, limit_s=limit_s)
    else:
        limit_s = asked.limit_s or RUN_LIMIT_S
        answer = check_here(build, device, stages, train=asked.train, budget_s=asked.budget_s, limit_s=limit_s)
    findings = tuple(_strictly(one) for one in answer.findings) if asked.strict else answer.findings
    memory = present.memory_bytes if present is not None else None
    return msgspec.structs.replace(
        answer, device=device, findings=findings, verdict=verdict_of(findings), memory_bytes=memory
    )


def check_here(
    build: Build,
    device: str,
    stages: tuple[str, ...] = HERE,
    *,
    train: bool = False,
    budget_s: float = PROBE_BUDGET_S,
    limit_s: float = RUN_LIMIT_S,
) -> Answer:
    """On a device that is here: one process runs the person's code, once; single calls then run in workers."""
    with temporary_folder("check") as folder:
        run = partial(_run_model, build, device, stages, train, str(folder))
        outcome, place = run_limited(run, limit_s, Parity)
        outcome.raise_user_error()
        found = outcome.value
        if not isinstance(found, Parity):
            late = outcome.ended == "timed_out"
            found = Parity(findings=(_tell_late(outcome, place) if late else _tell_lost(outcome, build, train),))
        findings, notes = list(found.findings), list(found.notes)
        if "replay" in stages:
            replayed = replay(folder, device, ran_whole=found.steps > 0)
            findings += replayed
            notes.append(f"{len(replayed)} distinct calls replayed")
        if "probes" in stages:
            probed = probe_step(folder, device, budget_s)
            findings += probed.findings
            findings += [_tell_unprobed(probed.unbegun)] if stages == ("probes",) and probed.unbegun else []
            notes += [*probed.notes, f"{len({one.subject for one in probed.findings})} operators probed"]
    return Answer(
        verdict=verdict_of(findings),
        device=device,
        stage=stages[0] if len(stages) == 1 else ALL,
        findings=tuple(findings),
        first_divergence=found.divergence,
        notes=tuple(notes),
    )


def _run_model(build: Build, device: str, stages: tuple[str, ...], train: bool, folder: str) -> Parity:
    """The calls are on disk before the device is touched: it may end the process."""
    model, inputs = build()
    model, notes = unwrap(model)
    backends.find_device(device)  # autograd counts the devices at its first backward pass
    if stages != ("parity",):
        record(model, inputs, Path(folder), train)
    return compare(model, inputs, device, train, notes) if "parity" in stages else Parity(notes=notes)


def _tell_unprobed(operators: tuple[str, ...]) -> CheckFinding:
    """Where nothing else was asked for, what was not probed is not known to run."""
    reason = f"no time was left to probe {len(operators)} operators ({spell_some(operators)})"
    hint = "give more with --budget"
    return CheckFinding(subject="the probes", verdict="unknown", tier="measured", hint=hint, reason=reason)


def _tell_late(outcome: Outcome, place: Place) -> CheckFinding:
    """Whether the device hangs, or the model itself takes so long, is not known."""
    return CheckFinding(
        subject="the model",
        verdict="unknown",
        tier="measured",
        phase=place.phase,
        source=place.source,
        hint=MORE_TIME,
        reason=outcome.detail,
    )


def _tell_lost(outcome: Outcome, build: Build, train: bool) -> CheckFinding:
    """The model failed on the CPU already, we failed to copy or to follow it there, or its process died."""
    if outcome.error is not None:
        words = f"{outcome.error.name}: {outcome.error.message}"
        hint = FAILS_HERE if not runs_on_host(build) else MAY_FAIL_HERE if train else CANNOT_FOLLOW
        return CheckFinding(subject="the model", verdict="unknown", tier="measured", hint=hint, reason=words)
    reason = f"the process that ran it on the device ended: {outcome.detail}"
    if "SIGKILL" in outcome.detail:  # no device sends that
        return CheckFinding(subject="the model", verdict="unknown", tier="measured", hint=KILLED, reason=reason)
    hint = "check again with --stage preflight, which needs no device"
    return CheckFinding(subject="the device", verdict="will_not_run", tier="measured", hint=hint, reason=reason)


def _strictly(finding: CheckFinding) -> CheckFinding:
    return msgspec.structs.replace(finding, verdict="will_not_run") if finding.verdict == "falls_back" else finding
