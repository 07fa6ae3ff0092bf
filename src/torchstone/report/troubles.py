"""What is broken and what to do, and what was not done and why: from statuses and levels, never from a verdict's words.

Broken is a wrong answer, a crash, a hang, a leak, something missing on a device, a promise of torch's that does not
hold. That a difference is too small to tell, or that there was no time, is nothing broken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchstone.records import HUNG, Finding, Measurement, Run, Setup
from torchstone.report.formatting import count_words
from torchstone.report.kept import kept_steps
from torchstone.report.lost import without_lost
from torchstone.report.names import (
    batch_of,
    call_of,
    differences,
    dtype_words,
    is_plain,
    is_unverified,
    model_words,
    work_of,
)
from torchstone.report.speedups import own_dtype, plain_of

KINDS = {"wrong": "wrong", "failed": "crash", "unsupported": "missing"}
DONE_INSTEAD = {
    "wrong": "use {} there; `torchstone check` finds where it begins",
    "crash": "leave this setup out; the run file holds the whole message",
    "model": "the model or its input is at fault, not a setup: call it by itself, and see to --input",
    "missing": "run it on the CPU",
    "hang": "call it once by itself to see where it stays; if it is only slow, give more --budget",
}
MPS_FALLBACK = "PYTORCH_ENABLE_MPS_FALLBACK=1 runs it on the CPU"
LONGEST = 160
LONGEST_REASON = 60
MOST_NAMED = 3
_NUMBERS = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True)
class Trouble:
    """One thing that is broken."""

    kind: str
    """wrong, unverified, kept, crash, hang, missing, leak, promise, or what else found it."""
    what: str
    evidence: str
    to_do: str
    device: str = ""
    dtype: str = ""
    count: int = 1

    @property
    def words(self) -> str:
        return f"{self.what}: {self.evidence}"


@dataclass(frozen=True)
class NotDone:
    """Cases without a number for one reason."""

    reason: str
    count: int


def troubles_of(run: Run) -> list[Trouble]:
    """The worst first: wrong answers, then what ends a program, what grows, what is missing."""
    measurements = run.measurements
    broken = [one for one in measurements if _has_hung(one) or (one.status in KINDS and _counts(one))]
    at_fault = _models_at_fault(measurements)
    own_dtypes = _own_dtypes(measurements)
    threads = _all_threads(measurements)
    groups: dict[tuple[str, ...], list[Measurement]] = {}
    for one in broken:
        key: tuple[str, ...] = (one.status, one.setup.device, dtype_words(one.setup), _same_reason(one))
        if work_of(one.name).model in at_fault:
            key = ("model", work_of(one.name).model)
        groups.setdefault(key, []).append(one)
    found = [
        _from_model(group)
        if key[0] == "model"
        else _from_measurements(group, own_dtypes[work_of(group[0].name).model], threads)
        for key, group in groups.items()
    ]
    found += _unverified(run.measurements)
    found += _kept(run.measurements)
    found += _from_findings(finding for finding in run.findings if finding.level == "problem")
    order = ("wrong", "unverified", "kept", "crash", "hang", "leak", "promise", "missing")
    return sorted(found, key=lambda one: order.index(one.kind) if one.kind in order else len(order))


def _models_at_fault(measurements: Sequence[Measurement]) -> set[str]:
    """Those that fail alike in all that was tried, the plain CPU's setup among it: no setup is to blame."""
    tried: dict[str, list[Measurement]] = {}
    for one in without_lost(measurements):
        if call_of(one.name) is not None and one.status not in ("skipped", "unsupported"):
            tried.setdefault(work_of(one.name).model, []).append(one)
    return {
        model
        for model, group in tried.items()
        if all(one.status == "failed" for one in group)
        and len({_same_reason(one) for one in group}) == 1
        and plain_of(group) is not None
    }


def _same_reason(one: Measurement) -> str:
    return _NUMBERS.sub("0", one.reason or "")


def _from_model(group: Sequence[Measurement]) -> Trouble:
    first = group[0]
    return Trouble(
        kind="crash",
        what=f"{work_of(first.name).model_words}, in every setup that was tried",
        evidence=_shortened(first.reason or first.status),
        to_do=DONE_INSTEAD["model"],
        device=first.setup.device,
        count=len(group),
    )


def _own_dtypes(measurements: Sequence[Measurement]) -> dict[str, str]:
    """That in which each model came."""
    setups: dict[str, list[Setup]] = {}
    for one in measurements:
        setups.setdefault(work_of(one.name).model, []).append(one.setup)
    return {model: own_dtype(found) for model, found in setups.items()}


def _unverified(measurements: Iterable[Measurement]) -> list[Trouble]:
    """A model whose answers could not be checked, once, whatever it was timed in."""
    groups: dict[str, list[Measurement]] = {}
    for one in measurements:
        if is_unverified(one):
            groups.setdefault(work_of(one.name).model_words, []).append(one)
    return [
        Trouble(
            kind="unverified",
            what=f"{name}: its answers are unverified",
            evidence=_shortened(str(group[0].facts["unverified"])),
            to_do="its speed alone was measured: see to its answers yourself",
            device=group[0].setup.device,
            count=len(group),
        )
        for name, group in groups.items()
    ]


def _kept(measurements: Sequence[Measurement]) -> list[Trouble]:
    """A model that may not compute what it answers, once a stage: no setup is to blame."""
    return [
        Trouble(
            kind="kept",
            what=f"{model_words(model)} {stage}: it may give an answer that it had kept, and its rates may be no speed",
            evidence=_shortened(one.reason or one.status),
            to_do="measure it without its cache; `torchstone.measure` times a call with an input that changes",
            device=one.setup.device,
        )
        for (model, stage), one in kept_steps(measurements).items()
    ]


def _counts(one: Measurement) -> bool:
    """An engine that is not here is nothing broken: what is missing is missing of the plain way, or on a device."""
    return one.status != "unsupported" or is_plain(one.setup) or one.setup.device != "cpu"


def _has_hung(one: Measurement) -> bool:
    return one.status == "skipped" and bool(one.facts.get(HUNG))


def _all_threads(measurements: Iterable[Measurement]) -> int:
    """Those of the plain CPU: 0 where nothing says how many."""
    return max((one.setup.threads or 0 for one in measurements if one.setup.device == "cpu"), default=0)


def _from_measurements(group: Sequence[Measurement], own: str, all_threads: int) -> Trouble:
    first = group[0]
    kind = "hang" if _has_hung(first) else KINDS[first.status]
    return Trouble(
        kind=kind,
        what=f"{_subject(group)} on {first.setup.device}{_threads_words(group, all_threads)}{_batch_words(group)}",
        evidence=_shortened(first.reason or first.status),
        to_do=_to_do(kind, first, own),
        device=first.setup.device,
        dtype=dtype_words(first.setup),
        count=len(group),
    )


def _subject(group: Sequence[Measurement]) -> str:
    """`float16 training (ResNet-50, VGG-16)`."""
    works = [work_of(one.name) for one in group]
    setup = group[0].setup
    how = ", ".join(differences(setup))
    stages = list(dict.fromkeys(work.stage or work.experiment for work in works))
    models = list(dict.fromkeys(work.model_words for work in works))
    more = f" and {len(models) - MOST_NAMED} more" if len(models) > MOST_NAMED else ""
    return f"{how + ' ' if how else ''}{' and '.join(stages[:2])} ({', '.join(models[:MOST_NAMED])}{more})"


def _threads_words(group: Sequence[Measurement], all_threads: int) -> str:
    """Where fewer of them were at fault: the plain CPU's setup may be right."""
    found = {one.setup.threads for one in group}
    threads = found.pop()
    is_fewer = not found and group[0].setup.device == "cpu" and threads is not None and threads < all_threads
    return f", {count_words(threads, 'thread')}" if is_fewer and threads is not None else ""


def _batch_words(group: Sequence[Measurement]) -> str:
    """Another batch of the same model may be right: ` at batch 8 and 16`; of many how many."""
    found = sorted({batch for one in group if (batch := batch_of(one)) is not None})
    if len(found) > MOST_NAMED:
        return f" at {len(found)} batches"
    return f" at batch {' and '.join(map(str, found))}" if found else ""


def _to_do(kind: str, one: Measurement, own: str) -> str:
    if kind == "missing" and one.setup.device.startswith("mps"):
        return MPS_FALLBACK
    if kind == "wrong" and not differences(one.setup, own):
        return "do not trust this device with it; `torchstone check` finds where it begins"
    if kind == "wrong" and dtype_words(one.setup) == own:
        return "leave this setup out; `torchstone check` finds where it begins"
    return DONE_INSTEAD[kind].format(own)


def _from_findings(findings: Iterable[Finding]) -> list[Trouble]:
    """Equal ones of several models stand together."""
    groups: dict[tuple[str, str, str | None], list[Finding]] = {}
    for finding in findings:
        device = str(finding.facts.get("device") or "")
        groups.setdefault((finding.kind, device, finding.hint), []).append(finding)
    return [_from_finding(group) for group in groups.values()]


def _from_finding(group: Sequence[Finding]) -> Trouble:
    first = group[0]
    more = f" and {len(group) - 1} more" if len(group) > 1 else ""
    return Trouble(
        kind=first.kind if first.kind in ("leak", "promise") else first.verdict,
        what=f"{_finding_subject(first)}{more}",
        evidence=_shortened(first.evidence),
        to_do=first.hint or "the run file holds the evidence",
        device=str(first.facts.get("device") or ""),
        count=len(group),
    )


def _finding_subject(finding: Finding) -> str:
    """`leak/convnet/inference: process, fixed shapes` as a person would say it."""
    name, colon, rest = finding.subject.partition(": ")
    parts = name.split("/")
    if finding.kind != "leak" or len(parts) < 2:
        return _shortened(finding.subject)
    what = " ".join([model_words(parts[1]), *parts[2:]])
    return _shortened(f"memory grows, {what}{' (' + rest + ')' if colon else ''}")


def not_done_in(run: Run) -> list[NotDone]:
    """Counted by reason, the commonest first; equal but for their numbers are one."""
    groups: dict[str, list[str]] = {}
    measured = {(one.name, one.setup.key) for one in run.measurements if one.status == "ok" and one.samples}
    newest = {(one.name, one.setup.key, one.quantity): one for one in run.measurements}
    for one in newest.values():
        if one.status == "skipped" and (one.name, one.setup.key) in measured:
            continue
        if (one.status in ("skipped", "out_of_memory") and not _has_hung(one)) or not _counts(one):
            reason = _reason_words(one)
            groups.setdefault(_NUMBERS.sub("0", reason), []).append(reason)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return [NotDone(_shortened(group[0], LONGEST_REASON), len(group)) for group in ordered]


def _reason_words(one: Measurement) -> str:
    """Whatever a larger budget would have bought is one reason."""
    if one.status == "out_of_memory":
        return "out of memory"
    reason = one.reason or "no reason is given"
    return "out of time, give more --budget" if "--budget" in reason else reason


def _shortened(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
