"""The whole of a check: which stages a device allows, one after the other, and the verdict over all of them."""

import os
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
from torchstone.checking.hints import FALLBACK
from torchstone.checking.parity import Parity, compare
from torchstone.checking.preflight import preflight
from torchstone.checking.probing import probe_step
from torchstone.checking.replay import replay
from torchstone.checking.unwrapping import unwrap
from torchstone.errors import UserError
from torchstone.files import temporary_folder
from torchstone.processes import Limits, Outcome, run_spawned
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
) -> Answer:
    """Will `model(*args, **kwargs)` run on a device, right and without falling back? The device need not be here."""
    present = find_present(device)
    light = _stages(stage, present) == ("preflight",)
    asked = Asked(train, stage, strict, budget_s, newer)
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
) -> Answer:
    """The same of a TARGET, whose code is run once, in a process of its own."""
    asked = Asked(train, stage, strict, budget_s, newer)
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
        answer = preflight(build, present.kind if present is not None else device, train=asked.train, newer=asked.newer)
    else:
        answer = check_here(build, device, stages, train=asked.train, budget_s=asked.budget_s)
    findings = tuple(_allowed_to_fall_back(one) for one in answer.findings)
    findings = tuple(_strictly(one) for one in findings) if asked.strict else findings
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
) -> Answer:
    """On a device that is here: one process runs the person's code, once; single calls then run in workers."""
    with temporary_folder("check") as folder:
        run = partial(_run_model, build, device, stages, train, str(folder))
        outcome = run_spawned(run, Limits(seconds=RUN_LIMIT_S), returns=Parity)
        outcome.raise_user_error()
        found = (
            outcome.value
            if isinstance(outcome.value, Parity)
            else Parity(findings=(_tell_lost(outcome, build, train),))
        )
        findings, notes = list(found.findings), list(found.notes)
        if "replay" in stages:
            replayed = replay(folder, device, ran_whole=found.steps > 0)
            findings += replayed
            notes.append(f"{len(replayed)} distinct calls replayed")
        if "probes" in stages:
            probed = probe_step(folder, device, budget_s)
            findings += probed.findings
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


def _tell_lost(outcome: Outcome, build: Build, train: bool) -> CheckFinding:
    """The model failed on the CPU already, we failed to copy or to follow it there, or its process died."""
    if outcome.error is not None:
        words = f"{outcome.error.name}: {outcome.error.message}"
        hint = FAILS_HERE if not runs_on_host(build) else MAY_FAIL_HERE if train else CANNOT_FOLLOW
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
