"""What run A measured and run B has no right number for: wrong there, crashed, refused, or never tried.

A case that breaks becomes no slower, so ratios alone would let it through. What B was never asked for is no setback:
another experiment or model, or a device that its machine does not have. A search takes the batches and the loads that
its own measurements lead it to, so another path is none either.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchstone.records import HUNG, Measurement, Run
from torchstone.report.formatting import count_words
from torchstone.report.names import describe_setup, dtype_words, work_of
from torchstone.report.same_work import MODEL, asked_for

BROKEN = {
    "wrong": "is wrong",
    "failed": "failed",
    "unsupported": "is unsupported",
    "out_of_memory": "ran out of memory",
}
"""What is said of a case, by its status."""
HANGS, MISSING = "hung", "was not measured"
SEARCHING = ("load",)
"""Experiments whose cases depend on what was measured before."""
SEARCHED = "crossover"
"""The part of a name that says the same of one case."""
LONGEST_REASON = 80


@dataclass(frozen=True)
class Setback:
    """A case of A that has no right number in B."""

    name: str
    quantity: str
    how: str
    kind: str
    """`is wrong`, `failed`, `is unsupported`, `ran out of memory`, `hung`, or `was not measured`."""
    reason: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether B tried; whether other programs ran meanwhile is no excuse then."""
        return self.kind != MISSING

    @property
    def words(self) -> str:
        work = work_of(self.name).words
        return f"{work} ({self.how}) {self.kind}" + (f": {self.reason}" if self.reason else "")


def setbacks_of(
    pairs: Iterable[tuple[Measurement, Measurement]], only_a: Iterable[Measurement], a: Run, b: Run
) -> tuple[Setback, ...]:
    """Of the pairs those that B failed at, then what it has no record of; the broken first."""
    found = [one for first, last in pairs if _is_measured(first) and (one := _of_pair(first, last)) is not None]
    found += [_missing(one) for one in only_a if _is_measured(one) and _is_expected(one, a, b)]
    return tuple(sorted(found, key=lambda one: not one.is_broken))


def _is_measured(one: Measurement) -> bool:
    return one.status == "ok" and bool(one.samples)


def _of_pair(a: Measurement, b: Measurement) -> Setback | None:
    """Two that were paired for want of equals, as one in another dtype, say nothing of each other."""
    if b.status == "ok" and b.samples:
        return None
    if dtype_words(a.setup) != dtype_words(b.setup):
        return _missing(a) if a.unit == "s" else None
    kind = HANGS if b.facts.get(HUNG) else BROKEN.get(b.status, MISSING)
    if kind == MISSING and a.unit != "s":
        return None
    reason = b.reason or "it has no samples"
    reason = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
    return Setback(a.name, a.quantity, describe_setup(b.setup), kind, reason)


def _missing(one: Measurement) -> Setback:
    return Setback(one.name, one.quantity, describe_setup(one.setup), MISSING)


def _is_expected(one: Measurement, a: Run, b: Run) -> bool:
    """Whether B was asked for it."""
    work = work_of(one.name)
    experiments = [word for word in b.asked if not word.startswith("--")]
    devices = {device.id for device in b.devices}
    is_searched = work.experiment in SEARCHING or SEARCHED in work.special
    return (
        one.unit == "s"
        and not is_searched
        and (not experiments or work.experiment in experiments)
        and asked_for(a, MODEL) == asked_for(b, MODEL)
        and (not devices or one.setup.device in devices)
    )


def broken_words(found: Sequence[Setback], a: str, b: str) -> str:
    """`B has no right number for 2 cases that A measured: ResNet-50 evaluation (cpu) is wrong: off by 3; and 1 more.`;
    empty where there is none."""
    broken = [one for one in found if one.is_broken]
    counted = count_words(len(broken), "case")
    return f"{b} has no right number for {counted} that {a} measured: {_named(broken)}." if broken else ""


def missing_words(found: Sequence[Setback], a: str, b: str) -> str:
    """What B did not measure, likewise."""
    missing = [one for one in found if not one.is_broken]
    return (
        f"{b} did not measure {count_words(len(missing), 'case')} that {a} did: {_named(missing)}." if missing else ""
    )


def _named(found: Sequence[Setback]) -> str:
    return found[0].words + (f"; and {len(found) - 1} more" if len(found) > 1 else "")
