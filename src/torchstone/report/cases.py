"""What the reports show of a run: one row a measurement with its summary, grouped by experiment, and bounded.

Another person's run may hold fifty thousand records. A page must stay small, so of each experiment so many names are
taken (with all their setups, that ratios stay whole), and what was left out is counted.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import msgspec

from torchstone import stats
from torchstone.records import Finding, Measurement
from torchstone.report.formatting import format_interval, format_rate, format_value
from torchstone.report.names import describe_setup
from torchstone.report.shares import ACCURACY, accuracy_words, is_share
from torchstone.report.sources import Machine
from torchstone.report.speedups import Speedup, baseline_words, speedups

MOST_ROWS = 400
"""Of one experiment."""
MOST_ROWS_IN_ALL = 2400
"""Of a page, shared out evenly: more take a browser seconds to lay out."""
MOST_EXPERIMENTS = 14
MOST_SETUPS = 60
"""Of one name."""
MOST_SAMPLES = 100_000
"""Of one measurement, for its summary: more change no median that a person reads."""
OTHERS = "other"


@dataclass(frozen=True)
class Row:
    """A measurement with what is computed from its samples."""

    machine: str
    measurement: Measurement
    middle: float | None = None
    low: float | None = None
    high: float | None = None
    speedup: Speedup | None = None

    @property
    def what(self) -> str:
        return subject_of(self.measurement.name)

    @property
    def how(self) -> str:
        return describe_setup(self.measurement.setup)

    @property
    def place(self) -> str:
        return f"{self.machine} · {self.measurement.setup.device}" if self.machine else self.measurement.setup.device

    @property
    def value_words(self) -> str:
        if self.middle is None:
            return ""
        if is_share(self.measurement):
            return accuracy_words(self.measurement, self.middle)
        return format_value(self.middle, self.measurement.unit)

    @property
    def interval_words(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return format_interval(self.low, self.high, self.measurement.unit)

    @property
    def rate(self) -> float | None:
        items = self.measurement.facts.get("items")
        timed = self.measurement.unit == "s" and self.middle is not None and self.middle > 0
        if not timed or isinstance(items, bool) or not isinstance(items, int | float):
            return None
        return items / self.middle if self.middle else None

    @property
    def rate_words(self) -> str:
        rate, item = self.rate, str(self.measurement.facts.get("item") or "items")
        return "" if rate is None or item == "queries" else format_rate(rate, item, 1.0)


@dataclass(frozen=True)
class Experiment:
    """The rows of one experiment."""

    name: str
    rows: tuple[Row, ...]
    left_out: int = 0


def experiment_of(name: str) -> str:
    return name.split("/")[0].strip() or OTHERS


def subject_of(name: str) -> str:
    return name.partition("/")[2].strip() or name


def experiments_of(machines: Sequence[Machine]) -> list[Experiment]:
    """Every experiment of these runs in the order measured; those beyond a bound are put together."""
    by_name: dict[str, list[tuple[str, Measurement]]] = defaultdict(list)
    names = _chosen_names(machines)
    for machine in machines:
        for one in machine.run.measurements:
            by_name[names[experiment_of(one.name)]].append((machine.label if len(machines) > 1 else "", one))
    most = min(MOST_ROWS, MOST_ROWS_IN_ALL // max(1, len(by_name)))
    return [_experiment(name, by_name[name], most) for name in sorted(by_name, key=lambda name: name == OTHERS)]


def _chosen_names(machines: Sequence[Machine]) -> dict[str, str]:
    counts = Counter(experiment_of(one.name) for machine in machines for one in machine.run.measurements)
    chosen = {name for name, _ in counts.most_common(MOST_EXPERIMENTS)}
    return {name: name if name in chosen else OTHERS for name in counts}


def _experiment(name: str, found: Sequence[tuple[str, Measurement]], most: int) -> Experiment:
    kept = _bounded(found, most)
    faster: dict[int, Speedup] = {}
    for label in dict.fromkeys(label for label, _ in kept):
        faster |= _speedups_by_identity([one for other, one in kept if other == label])
    rows = tuple(sorted((make_row(label, one, faster.get(id(one))) for label, one in kept), key=_is_empty))
    return Experiment(name, rows, len(found) - len(kept))


def _is_empty(row: Row) -> bool:
    """What has a number stands before what has none."""
    return row.middle is None


def _bounded(found: Sequence[tuple[str, Measurement]], most: int) -> list[tuple[str, Measurement]]:
    """Whole names as long as they fit, at most so many setups of one."""
    by_case: dict[str, list[tuple[str, Measurement]]] = defaultdict(list)
    for label, one in found:
        if len(by_case) <= most and len(by_case[one.name]) < MOST_SETUPS:
            by_case[one.name].append((label, _thinned(one)))
    kept: list[tuple[str, Measurement]] = []
    for group in by_case.values():
        if len(kept) + len(group) > most:
            break
        kept += group
    return kept


def _thinned(one: Measurement) -> Measurement:
    """Every so-manieth sample of a measurement that has too many."""
    if len(one.samples) <= MOST_SAMPLES:
        return one
    step = math.ceil(len(one.samples) / MOST_SAMPLES)
    return msgspec.structs.replace(one, samples=one.samples[::step])


def _speedups_by_identity(measurements: Sequence[Measurement]) -> dict[int, Speedup]:
    """Speed-ups by the measurement that they are about; `speedups` keeps name and setup, which identify it."""
    found = {(one.name, one.setup, one.seconds): one for one in speedups(measurements)}
    keyed = ((one, (one.name, one.setup, median(one.samples))) for one in measurements if one.samples)
    return {id(one): found[key] for one, key in keyed if key in found}


def make_row(label: str, one: Measurement, speedup: Speedup | None = None) -> Row:
    """The summary of one measurement: its median, or of an accuracy after each epoch the last."""
    if not one.samples:
        return Row(label, one)
    if one.quantity == ACCURACY:
        return Row(label, one, one.samples[-1])
    found = stats.quantile_interval(one.samples)
    low, high = (found.low, found.high) if found else (None, None)
    return Row(label, one, median(one.samples), low, high, speedup)


def is_good(finding: Finding) -> bool:
    """Whether a finding is no warning: good news, or an answer worth knowing."""
    return finding.level in ("ok", "note")


def reference_of(rows: Sequence[Row]) -> str:
    """What those of these rows that have a speed-up were set against, in words."""
    return baseline_words([row.speedup for row in rows if row.speedup])


def is_believable(row: Row) -> bool:
    return row.measurement.status == "ok" and row.middle is not None


def place_words(row: Row) -> str:
    """The setup, after its machine where there are several."""
    return f"{row.machine} · {row.how}" if row.machine else row.how
