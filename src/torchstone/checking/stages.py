"""The whole of a check: which stages a device allows, one after the other, and the verdict over all of them."""

import os
from functools import partial
from typing import Any, Literal, get_args

import msgspec
from torch import nn

from torchstone import backends
from torchstone.checking.answer import Answer, CheckFinding, verdict_of
from torchstone.checking.building import Build, build_of_model, build_of_target
from torchstone.checking.hints import FALLBACK
from torchstone.checking.parity import Parity, compare_on
from torchstone.checking.preflight import preflight
from torchstone.checking.replay import replay
from torchstone.errors import UserError
from torchstone.files import temporary_folder
from torchstone.processes import Limits, Outcome, run_spawned
from torchstone.records import Device

Stage = Literal["preflight", "replay", "parity"]
STAGES: tuple[str, ...] = get_args(Stage)
PARITY_LIMIT_S = 1800.0
FORETOLD = ("mps", "cuda", "rocm", "xpu")
"""Kinds of devices of which the files of torch tell."""


def check(
    model: nn.Module,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    *,
    device: str = "mps",
    train: bool = False,
    stage: str | None = None,
    strict: bool = False,
) -> Answer:
    """Will `model(*args, **kwargs)` run on a device, right and without falling back? The device need not be here."""
    present = find_present(device)
    light = _stages(stage, present) == ("preflight",)
    return _check(build_of_model(model, args, kwargs, light=light), device, present, train, stage, strict)


def check_target(
    target: str,
    device: str,
    *,
    input_shape: str | None = None,
    train: bool = False,
    stage: str | None = None,
    strict: bool = False,
) -> Answer:
    """The same of a TARGET, whose code is run once, in a process of its own."""
    return _check(build_of_target(target, input_shape), device, find_present(device), train, stage, strict)


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
    return ("preflight",) if present is None else ("parity",)


def _check(build: Build, device: str, present: Device | None, train: bool, stage: str | None, strict: bool) -> Answer:
    (chosen,) = _stages(stage, present)
    if chosen == "preflight":
        answer = preflight(build, present.kind if present is not None else device, train=train)
    elif chosen == "replay":
        answer = check_replay(build, device, train=train)
    else:
        answer = check_parity(build, device, train=train)
    findings = tuple(_allowed_to_fall_back(one) for one in answer.findings)
    findings = tuple(_strictly(one) for one in findings) if strict else findings
    memory = present.memory_bytes if present is not None else None
    return msgspec.structs.replace(
        answer, device=device, findings=findings, verdict=verdict_of(findings), memory_bytes=memory
    )


def check_replay(build: Build, device: str, *, train: bool = False) -> Answer:
    """Replay each distinct call of a step on the device."""
    with temporary_folder("replay") as folder:
        findings = replay(build, device, folder, train=train)
    note = f"{len(findings)} distinct calls replayed"
    return Answer(verdict=verdict_of(findings), device=device, stage="replay", findings=findings, notes=(note,))


def check_parity(build: Build, device: str, *, train: bool = False) -> Answer:
    """Run the model on the device and on the CPU, in a process of its own."""
    outcome = run_spawned(partial(compare_on, build, device, train), Limits(seconds=PARITY_LIMIT_S), returns=Parity)
    outcome.raise_user_error()
    if not isinstance(outcome.value, Parity):
        return Answer(verdict="unknown", device=device, stage="parity", findings=(_tell_lost(outcome),))
    found = outcome.value
    told = (f"{found.steps} functions compared with the CPU's float64; {found.outcome}".rstrip("; "),)
    return Answer(
        verdict=verdict_of(found.findings),
        device=device,
        stage="parity",
        findings=found.findings,
        first_divergence=found.divergence,
        notes=(*found.notes, *told),
    )


def _tell_lost(outcome: Outcome) -> CheckFinding:
    """The model failed on the CPU already, or its process died."""
    if outcome.error is not None:
        words = f"{outcome.error.name}: {outcome.error.message}"
        hint = "it fails on the CPU already: run it there first"
        return CheckFinding(subject="the model", verdict="unknown", tier="measured", hint=hint, reason=words)
    reason = f"the process that ran it on the device ended: {outcome.ended}: {outcome.detail}"
    hint = "check again with --stage preflight, which needs no device"
    return CheckFinding(subject="the device", verdict="will_not_run", tier="measured", hint=hint, reason=reason)


def _allowed_to_fall_back(finding: CheckFinding) -> CheckFinding:
    """Where the person has switched the fallback on, a missing kernel does not raise."""
    name, _, value = FALLBACK.partition("=")
    if finding.verdict != "will_not_run" or os.environ.get(name) != value or FALLBACK not in finding.hint:
        return finding
    return msgspec.structs.replace(finding, verdict="falls_back")


def _strictly(finding: CheckFinding) -> CheckFinding:
    return msgspec.structs.replace(finding, verdict="will_not_run") if finding.verdict == "falls_back" else finding
