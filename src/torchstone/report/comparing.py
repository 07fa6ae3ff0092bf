"""Two runs side by side: a ratio with its interval where the work is the same, and which field differs where not.

Another torch, machine or number of threads is why people compare: it is said as a warning, and compared all the same.

The runs were not taken in pairs, so the interval is the conservative one: the worst of one median's interval over the
best of the other's. A difference is declared only where all of it lies beyond the margin and beyond what two sittings
of one machine differ in, and none where other programs ran beside one of the two: two threads that wait for each other
on busy cores can take a hundred times as long.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone import stats
from torchstone.records import MODEL_FILE, Environment, Measurement
from torchstone.report.cases import MOST_SAMPLES
from torchstone.report.formatting import count_words
from torchstone.report.kept import kept_words
from torchstone.report.machines_at_best import AtBest, best_words, compare_at_best, speeds_words
from torchstone.report.names import describe_setup, work_of
from torchstone.report.same_work import amount_of, differing_fields, is_by_item, item_of, other_input, share_of
from torchstone.report.setbacks import Setback, broken_words, missing_words, setbacks_of
from torchstone.report.sources import Machine
from torchstone.report.speedups import OTHER_QUALITY
from torchstone.report.standings import STEPS, rate_of
from torchstone.report.trusting import busy_meanwhile

MOST_CASES = 5000
DIFFERENT = ("faster", "slower", "more", "less")
Key = tuple[str, str, str, str, str]
"""Name, quantity, device, engine with memory format, dtype with threads."""


@dataclass(frozen=True)
class Comparison:
    """One case in both runs; `ratio` is B's median over A's, None where they may not be compared. Where the amounts of
    work differ it is that of the seconds an item."""

    name: str
    quantity: str
    unit: str
    how: str
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    rate_a: float | None
    rate_b: float | None
    """Items a second, where the records say how many items a sample is."""
    item: str
    verdict: str
    """For times, what may be said of B: faster, slower, same, unclear; or: more, less; or: not compared."""
    reason: str | None = None
    amount_a: str = ""
    amount_b: str = ""
    """How much work a sample is, where that differs: `batch 8`."""

    @property
    def what(self) -> str:
        """The work in words, with both amounts where these differ."""
        amounts = f", {self.amount_a} / {self.amount_b}" if self.amount_a else ""
        return f"{work_of(self.name).words}{amounts}"


@dataclass(frozen=True)
class Summary:
    """All cases of two runs."""

    a: str
    b: str
    cases: tuple[Comparison, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    left_out: int = 0
    at_best: tuple[AtBest, ...] = ()
    """The same models and batches, each machine with its own fastest right way."""
    is_across_machines: bool = False
    """Two machines are asked what each can do; two runs of one, whether the same setups became faster."""
    warnings: tuple[str, ...] = ()
    """What else differs between the two runs: part of a difference may be theirs."""
    busy: tuple[str, ...] = ()
    """Which of them was made beside other programs: then nothing is called a difference."""
    is_same_run: bool = False
    setbacks: tuple[Setback, ...] = ()
    """What A measured and B was wrong in, failed in or left out."""

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
    busy = [f"{machine.label}: {words}" for machine in (a, b) if (words := busy_meanwhile(machine.run))]
    other = other_input(a.run, b.run)
    cases = [_compare(*pair, is_quiet=not busy, other_input=other) for pair in pairs[:MOST_CASES]]
    matched = {id(one) for pair in pairs for one in pair}
    return Summary(
        a.label,
        b.label,
        tuple(cases),
        _unmatched(first, matched),
        _unmatched(second, matched),
        max(0, len(pairs) - MOST_CASES),
        () if other else tuple(compare_at_best(a, b, is_quiet=not busy)),
        a.run.environment.chip != b.run.environment.chip,
        (
            *(f"{words}; nothing is called a difference" for words in busy),
            *(f"{one.label}: {words}" for one in (a, b) if (words := kept_words(one.run.measurements))),
            *warn_of_differences(a.run.environment, b.run.environment),
        ),
        tuple(busy),
        a.url == b.url,
        setbacks_of(pairs, (one for one in first.values() if id(one) not in matched), a.run, b.run),
    )


def _by_key(machine: Machine) -> dict[Key, Measurement]:
    """The last measurement of each case in each setup."""
    return {_key(one): one for one in machine.run.measurements}


def _key(one: Measurement) -> Key:
    setup = one.setup
    engine = " ".join((setup.engine, setup.memory_format, *setup.options))
    arithmetic = f"{setup.dtype} {setup.precision} {setup.threads}"
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


def warn_of_differences(a: Environment, b: Environment) -> list[str]:
    """What the runs were made with, where it is not the same."""
    fields = [
        ("torch", a.torch, b.torch),
        ("machine", a.chip, b.chip),
        ("threads", a.threads, b.threads),
        ("Python", a.python, b.python),
        ("system", a.os, b.os),
    ]
    found = [f"another {name}: {one} and {other}" for name, one, other in fields if one != other]
    files = {one.facts[MODEL_FILE].value for one in (a, b) if MODEL_FILE in one.facts}
    return [*found, "another model: the file that --model names has changed"] if len(files) > 1 else found


def _compare(a: Measurement, b: Measurement, is_quiet: bool = True, other_input: str = "") -> Comparison:
    reasons = [*_missing(a, "A"), *_missing(b, "B"), *_other_quality(a)] or differing_fields(a, b)
    reasons = reasons or ([other_input] if other_input else [])
    base = stats.quantile_interval(a.samples[:MOST_SAMPLES])
    this = stats.quantile_interval(b.samples[:MOST_SAMPLES])
    middle_a = median(a.samples) if a.samples else None
    middle_b = median(b.samples) if b.samples else None
    may = not reasons and middle_a is not None and middle_b is not None and min(a.samples) > 0 and min(b.samples) > 0
    share = share_of(a, b)
    ratio = middle_b / middle_a / share if may and middle_a and middle_b else None
    low = this.low / base.high / share if ratio and base and this else None
    high = this.high / base.low / share if ratio and base and this else None
    verdict = "not compared" if ratio is None else _verdict(a.unit, low, high) if is_quiet else "unclear"
    reason = "; ".join(reasons) if reasons else None if ratio else "a sample is not positive: no ratio"
    return Comparison(
        name=a.name,
        quantity=a.quantity,
        unit=a.unit,
        how=_how(a, b),
        a=middle_a,
        b=middle_b,
        ratio=ratio,
        low=low,
        high=high,
        rate_a=_rate(a),
        rate_b=_rate(b),
        item=item_of(a),
        verdict=verdict,
        reason=reason,
        amount_a=amount_of(a).words if ratio and is_by_item(a, b) else "",
        amount_b=amount_of(b).words if ratio and is_by_item(a, b) else "",
    )


def _rate(one: Measurement) -> float | None:
    return rate_of(one) if one.unit == "s" and one.quantity in STEPS and one.samples else None


def _other_quality(one: Measurement) -> list[str]:
    return ["its quality is below 40 dB: not the same work"] if one.name.endswith(OTHER_QUALITY) else []


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
    return [one for one in summary.cases if one.verdict == "slower" and one.low is not None and one.low > limit]


def verdict_words(summary: Summary) -> str:
    """Who is faster and by how much: the answer, in a sentence."""
    if summary.is_same_run:
        return "Both are the same run: there is nothing to compare."
    broken = broken_words(summary.setbacks, summary.a, summary.b)
    # Another machine has other setups, and time for others.
    missing = "" if summary.is_across_machines else missing_words(summary.setbacks, summary.a, summary.b)
    return " ".join(part for part in (broken, _speed_words(summary), missing) if part)


def _speed_words(summary: Summary) -> str:
    """Of what both measured."""
    best = best_words(summary.a, summary.b, summary.at_best) if summary.is_across_machines else ""
    if best:
        return best
    times = [one for one in summary.cases if one.ratio is not None and one.unit == "s"]
    if not times:
        return f"Nothing of {summary.a} and {summary.b} can be compared: {_commonest_reason(summary.cases)}."
    different = sorted(1 / one.ratio for one in times if one.ratio and one.verdict in ("faster", "slower"))
    same = sum(one.verdict == "same" for one in times)
    beside = sum(one.ratio is not None for one in summary.cases) - len(times)
    others = f"; beside them {beside} of memory and the like" if beside else ""
    amounts = _amount_words(summary, times)
    counted = f"{count_words(len(times), 'case')} compared, {len(different) + same} decided{others}{amounts}"
    if 2 * len(different) > len(times):
        return f"{summary.b} is {speeds_words(different)} {summary.a} ({counted})."
    if same == len(times):
        return f"{summary.b} and {summary.a} are equally fast ({counted})."
    if different or same:
        return f"{_counted_words(summary, times)}{others}{amounts}."
    return f"No difference between {summary.b} and {summary.a} can be told ({counted})."


def _counted_words(summary: Summary, times: Sequence[Comparison]) -> str:
    """Where only the fewer cases differ: they speak for themselves alone."""
    found = {verdict: [one for one in times if one.verdict == verdict] for verdict in ("same", "faster", "slower")}
    parts: list[str] = []
    for verdict, cases in found.items():
        if cases:
            of_all = "" if parts else f" of {count_words(len(times), 'case')}"
            words = "" if verdict == "same" else _most_words(cases)
            parts.append(f"{'the same' if verdict == 'same' else verdict} in {len(cases)}{of_all}{words}")
    unclear = len(times) - sum(map(len, found.values()))
    parts += [f"{unclear} not decided"] if unclear else []
    return f"{summary.b} against {summary.a}: {'; '.join(parts)}"


def _amount_words(summary: Summary, times: Sequence[Comparison]) -> str:
    """What is compared by its items a second, as a call of the one is more work than a call of the other."""
    found = [one for one in times if one.amount_a]
    if not found:
        return ""
    first = found[0]
    named = {(one.amount_a, one.amount_b) for one in found}
    which = "by" if len(found) == len(times) else f"{len(found)} of them by"
    amounts = f"{summary.a}: {first.amount_a}, {summary.b}: {first.amount_b}"
    more = f", and {len(named) - 1} more such" if len(named) > 1 else ""
    return f"; {which} {first.item} a second, as the amounts of work differ ({amounts}{more})"


def _most_words(cases: Sequence[Comparison]) -> str:
    """The one that differs, or the one of several that does most."""
    far = {one.what: math.exp(abs(math.log(one.ratio or 1.0))) for one in cases}
    name = max(far, key=far.__getitem__)
    return f"{': ' if len(cases) == 1 else ', the most in '}{name} {far[name]:.2f}×"


def largest_differences(summary: Summary) -> list[Comparison]:
    """Those that were decided, the largest first whichever way they go. What was not may look larger: it is counted."""
    decided = [one for one in summary.cases if one.verdict in DIFFERENT]
    return sorted(decided, key=lambda one: -abs(math.log(one.ratio or 1.0)))


def _commonest_reason(cases: Sequence[Comparison]) -> str:
    reasons = [one.reason for one in cases if one.reason]
    return max(set(reasons), key=reasons.count) if reasons else "they have no case in common"
