"""The fastest right way to process images, in a sentence each: the CPU's by its finding, the devices beside it."""

from collections.abc import Iterable, Sequence
from statistics import median

from torchstone.records import Finding, Measurement
from torchstone.report.formatting import speed_words
from torchstone.report.names import work_of

KIND = "images"
WHOLE_ROADS = ("jpeg to tensor", "pixels to tensor", "pipeline")
"""What a sentence is spent on; the single steps stand in the table and in the run file. The most telling first."""


def fastest_sentences(findings: Iterable[Finding], measurements: Sequence[Measurement], most: int) -> list[str]:
    """The whole roads first come first, one size and batch each."""
    named = [one for one in findings if one.kind == KIND and one.facts.get("fastest") and _road(one) in WHOLE_ROADS]
    ordered = sorted(named, key=lambda one: WHOLE_ROADS.index(_road(one)))
    return [f"{_cpu_words(one)}{_device_words(one, measurements)}." for one in ordered[:most]]


def _road(finding: Finding) -> str:
    return "".join(finding.subject.split("/")[1:2])


def _cpu_words(finding: Finding) -> str:
    facts = finding.facts
    rate = facts.get("rate")
    speed = f", {rate:.4g} {facts.get('item') or 'items'}/s" if isinstance(rate, int | float) else ""
    tied = f" (tied with {facts['tied with']})" if facts.get("tied with") else ""
    undecided = f"; undecided with {facts['undecided with']}: more --budget" if facts.get("undecided with") else ""
    untimed = f"; not timed: {facts['not timed']}" if facts.get("not timed") else ""
    what = work_of(finding.subject).words
    return f"Fastest right way on this CPU, {what}: {facts['fastest']}{tied}{speed}{undecided}{untimed}"


def _device_words(finding: Finding, measurements: Sequence[Measurement]) -> str:
    """Every other device's plain time for the same work, set against the CPU's best and not its slowest."""
    rate = finding.facts.get("rate")
    words = []
    for one in measurements:
        items = one.facts.get("items")
        elsewhere = one.name == finding.subject and one.setup.device != finding.facts.get("device")
        counted = elsewhere and one.status == "ok" and one.unit == "s" and one.samples and median(one.samples) > 0
        if counted and isinstance(items, int | float) and isinstance(rate, int | float) and rate > 0:
            words.append(f"; {one.setup.device} is {speed_words(items / median(one.samples) / rate)}")
    return "".join(words)
