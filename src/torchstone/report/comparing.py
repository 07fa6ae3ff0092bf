"""Two runs side by side: a ratio with its interval where they may be compared, and which field differs where not.

The runs were not taken in pairs, so the interval is the conservative one: the worst of one median's interval over the
best of the other's. A difference is declared only where all of it lies beyond the margin.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone import stats
from torchstone.records import Environment, Measurement
from torchstone.report.cases import MOST_SAMPLES
from torchstone.report.formatting import count_words
from torchstone.report.sources import Machine
from torchstone.report.names import describe_setup

MOST_CASES = 5000
Key = tuple[str, str, str, str, str]
"""Name, quantity, device, engine with memory format, dtype with threads."""


@dataclass(frozen=True)
class Comparison:
    """One case in both runs; `ratio` is B's median over A's, None where they may not be compared."""

    name: str
    quantity: str
    unit: str
    how: str
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    """For times, what may be said of B: faster, slower, same, unclear; or: more, less; or: not compared."""
    reason: str | None = None


@dataclass(frozen=True)
class Summary:
    """All cases of two runs."""

    a: str
    b: str
    cases: tuple[Comparison, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    left_out: int = 0

    @property
    def typical_ratio(self) -> float | None:
        """The geometric middle over the compared times: one number for who is faster on the whole."""
        logs = [math.log(one.ratio) for one in self.cases if one.ratio and one.ratio > 0 and one.unit == "s"]
        return math.exp(median(logs)) if logs else None

    def count(self, verdict: str) -> int:
        return sum(one.verdict == verdict for one in self.cases)


def compare_runs(a: Machine, b: Machine) -> Summary:
    """Every case that both runs hold, and the names that only one does."""
    first, second = _by_key(a), _by_key(b)
    pairs = _pairs(first, second)
    cases = [_compare(one, other, a.run.environment, b.run.environment) for one, other in pairs[:MOST_CASES]]
    matched = {id(one) for pair in pairs for one in pair}
    return Summary(
        a.label,
        b.label,
        tuple(cases),
        _unmatched(first, matched),
        _unmatched(second, matched),
        max(0, len(pairs) - MOST_CASES),
    )


def _by_key(machine: Machine) -> dict[Key, Measurement]:
    """The last measurement of each case in each setup."""
    return {_key(one): one for one in machine.run.measurements}


def _key(one: Measurement) -> Key:
    setup = one.setup
    engine, arithmetic = f"{setup.engine} {setup.memory_format}", f"{setup.dtype} {setup.threads}"
    return (one.name, one.quantity, setup.device, engine, arithmetic)


def _pairs(first: dict[Key, Measurement], second: dict[Key, Measurement]) -> list[tuple[Measurement, Measurement]]:
    """Equal cases; else the same case on another device, where each run has just one that is left."""
    pairs = [(one, second[key]) for key, one in first.items() if key in second]
    rest_a = {key: one for key, one in first.items() if key not in second}
    rest_b = {key: one for key, one in second.items() if key not in first}
    return [*pairs, *_pairs_across(rest_a, rest_b, keep_arithmetic=True)]


def _pairs_across(
    first: dict[Key, Measurement], second: dict[Key, Measurement], *, keep_arithmetic: bool
) -> list[tuple[Measurement, Measurement]]:
    """What is left, by name and engine: accelerators with each other, then whatever dtype and threads there are."""
    left = _loosely(first, keep_arithmetic)
    right = _loosely(second, keep_arithmetic)
    pairs = [(left[key][0], right[key][0]) for key in left if len(left[key]) == len(right.get(key, ())) == 1]
    if not keep_arithmetic:
        return pairs
    used = {id(one) for pair in pairs for one in pair}
    rest = [{key: one for key, one in side.items() if id(one) not in used} for side in (first, second)]
    return [*pairs, *_pairs_across(rest[0], rest[1], keep_arithmetic=False)]


def _loosely(measurements: dict[Key, Measurement], keep_arithmetic: bool) -> dict[tuple[str, ...], list[Measurement]]:
    found: dict[tuple[str, ...], list[Measurement]] = {}
    for (name, quantity, device, engine, arithmetic), one in measurements.items():
        kind = "cpu" if device == "cpu" else "accelerator"
        found.setdefault((name, quantity, kind, engine, arithmetic if keep_arithmetic else ""), []).append(one)
    return found


def _unmatched(measurements: dict[Key, Measurement], matched: set[int]) -> tuple[str, ...]:
    names = (f"{one.name} on {describe_setup(one.setup)}" for one in measurements.values() if id(one) not in matched)
    return tuple(list(dict.fromkeys(names))[:MOST_CASES])


def differing_fields(a: Measurement, b: Measurement, of_a: Environment, of_b: Environment) -> list[str]:
    """Which of the fields that a number depends on are not the same, with both values."""
    threads = a.setup.device == "cpu" or b.setup.device == "cpu"
    fields: list[tuple[str, object, object]] = [
        ("torch", of_a.torch, of_b.torch),
        ("dtype", a.setup.dtype, b.setup.dtype),
        ("protocol", a.protocol, b.protocol),
        ("sync", a.setup.sync, b.setup.sync),
        ("unit", a.unit, b.unit),
    ]
    if threads:
        fields.append(("threads", _threads(a, of_a), _threads(b, of_b)))
    return [f"{name}: {one} and {other}" for name, one, other in fields if one != other]


def _threads(one: Measurement, found: Environment) -> int:
    return one.setup.threads if one.setup.threads is not None else found.threads


def _compare(a: Measurement, b: Measurement, of_a: Environment, of_b: Environment) -> Comparison:
    reasons = [*_missing(a, "A"), *_missing(b, "B")] or differing_fields(a, b, of_a, of_b)
    base = stats.quantile_interval(a.samples[:MOST_SAMPLES])
    this = stats.quantile_interval(b.samples[:MOST_SAMPLES])
    middle_a = median(a.samples) if a.samples else None
    middle_b = median(b.samples) if b.samples else None
    may = not reasons and middle_a is not None and middle_b is not None and min(a.samples) > 0 and min(b.samples) > 0
    ratio = middle_b / middle_a if may and middle_a and middle_b else None
    low = this.low / base.high if ratio and base and this else None
    high = this.high / base.low if ratio and base and this else None
    verdict = "not compared" if ratio is None else _verdict(a.unit, low, high)
    reason = "; ".join(reasons) if reasons else None if ratio else "a sample is not positive: no ratio"
    return Comparison(a.name, a.quantity, a.unit, _how(a, b), middle_a, middle_b, ratio, low, high, verdict, reason)


def _how(a: Measurement, b: Measurement) -> str:
    one, other = describe_setup(a.setup), describe_setup(b.setup)
    return one if one == other else f"{one} / {other}"


def _missing(one: Measurement, which: str) -> list[str]:
    if one.status != "ok":
        return [f"{which} is {one.status.replace('_', ' ')}: {one.reason}"]
    return [] if one.samples else [f"{which} has no samples"]


def _verdict(unit: str, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "unclear"
    found = stats.verdict_of(low, high)
    return found if unit == "s" else {"faster": "less", "slower": "more"}.get(found, found)


def regressions(summary: Summary, percent: float) -> list[Comparison]:
    """Times that are longer in B by more than this, beyond doubt: the whole interval lies there."""
    limit = 1.0 + percent / 100.0
    return [one for one in summary.cases if one.unit == "s" and one.low is not None and one.low > limit]


def summary_words(summary: Summary) -> str:
    """Who wins and by how much, in a sentence or two."""
    compared = sum(one.ratio is not None for one in summary.cases)
    if not compared:
        return f"No case of {summary.a} and {summary.b} can be compared: {_commonest_reason(summary.cases)}"
    counted = ", ".join(f"{summary.count(verdict)} {verdict}" for verdict in ("faster", "slower", "same", "unclear"))
    words = f"{summary.b} against {summary.a}, {count_words(compared, 'case')} compared: {counted}."
    if summary.typical_ratio is None:
        return words
    winner = summary.b if summary.typical_ratio < 1 else summary.a
    times = max(summary.typical_ratio, 1 / summary.typical_ratio)
    if not any(summary.count(verdict) for verdict in ("faster", "slower", "same")):
        return f"{words} No difference can be told: the intervals are too wide."
    if times <= 1 + stats.MARGIN:
        return f"{words} In the middle case they are equally fast."
    return f"{words} In the middle case {winner} is {times:.3g}× as fast."


def _commonest_reason(cases: Sequence[Comparison]) -> str:
    reasons = [one.reason for one in cases if one.reason]
    return max(set(reasons), key=reasons.count) if reasons else "they have no case in common"
