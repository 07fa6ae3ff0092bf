"""Two machines, each at its best: what each can do with a piece of work, like against like or with what differs named.

The best of one may be in a narrower dtype than the best of the other, or in one that the other was never measured in.
That is said, with what both do in the model's own dtype. Another protocol is no like: nothing is set against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from torchstone import stats
from torchstone.report.bests import Best, best_of
from torchstone.report.formatting import short_times, span_words
from torchstone.report.headlines import VERBS
from torchstone.report.names import dtype_words, work_of
from torchstone.report.same_work import differing_amounts
from torchstone.report.sources import Machine
from torchstone.report.standings import Contest, contests_of

MOST_NAMED = 2
"""Pairs of dtypes in a sentence."""


@dataclass(frozen=True)
class AtBest:
    """One piece of work, done by each machine in its own fastest right way; `times` is how many times as fast B is."""

    what: str
    stage: str
    how_a: str
    how_b: str
    rate_a: float | None
    rate_b: float | None
    item: str
    times: float
    is_decided: bool
    dtypes: str = ""
    """B's and A's, where they are not the same."""
    plain_dtype: str = ""
    """The model's own, in which both were measured, too."""
    plain_times: float | None = None
    """The same there, where it was decided."""


def compare_at_best(a: Machine, b: Machine, is_quiet: bool = True) -> list[AtBest]:
    """Which machine is worth more: what each can do, not the same setup on both. Beside other programs nothing is
    decided."""
    contests = [contests_of(machine.run) for machine in (a, b)]
    first, second = map(best_of, contests)
    plain = [best_of([_in_own_dtype(one) for one in group]) for group in contests]
    found = []
    for key in first:
        if key in second and _is_alike(first[key], second[key]):
            both = (plain[0][key], plain[1][key]) if key in plain[0] and key in plain[1] else None
            found.append(_at_best(first[key], second[key], both, (a, b), is_quiet))
    return found


def _in_own_dtype(contest: Contest) -> Contest:
    own = contest.own_dtype
    rivals = tuple(one for one in contest.rivals if dtype_words(one.setup) == own)
    return replace(contest, rivals=rivals, engines=contest.engines and _in_own_dtype(contest.engines))


def alike(named: Sequence[tuple[Machine, Best]]) -> list[tuple[Machine, Best]]:
    """Without those that may not stand beside the first of the same work."""
    first: dict[tuple[str, str, int | None], Best] = {}
    for _, best in named:
        first.setdefault(_key(best), best)
    return [(machine, best) for machine, best in named if _is_alike(first[_key(best)], best)]


def _key(best: Best) -> tuple[str, str, int | None]:
    return best.work.model, best.work.stage, best.work.batch


def _is_alike(a: Best, b: Best) -> bool:
    """Taken by the same rules, of the same amount of work."""
    one, other = a.measured, b.measured
    return one.protocol == other.protocol and a.item == b.item and differing_amounts(one, other) is None


def _at_best(
    a: Best, b: Best, plain: tuple[Best, Best] | None, machines: tuple[Machine, Machine], is_quiet: bool
) -> AtBest:
    dtypes = _dtypes(a, b, None if plain is not None and _is_alike(*plain) else machines)
    found = AtBest(
        what=a.work.words,
        stage=a.work.stage,
        how_a=f"{a.device} {a.how}".strip(),
        how_b=f"{b.device} {b.how}".strip(),
        rate_a=a.rate,
        rate_b=b.rate,
        item=a.item,
        times=a.seconds / b.seconds,
        is_decided=is_quiet and _is_decided(a, b),
        dtypes=dtypes,
    )
    if not dtypes or plain is None or not _is_alike(*plain):
        return found
    one, other = plain
    return replace(
        found,
        plain_dtype=dtype_words(other.measured.setup),
        plain_times=one.seconds / other.seconds if is_quiet and _is_decided(one, other) else None,
    )


def _is_decided(a: Best, b: Best) -> bool:
    if not (a.low and a.high and b.low and b.high):
        return False
    return stats.verdict_of(b.low / a.high, b.high / a.low) in ("faster", "slower")


def _dtypes(a: Best, b: Best, machines: tuple[Machine, Machine] | None) -> str:
    """`bfloat16 (in which AMD EPYC was not measured) against float32`; empty where both have the same. Without the
    machines where the same dtype is told of both, too."""
    one, other = dtype_words(a.measured.setup), dtype_words(b.measured.setup)
    lacks = ("", "") if machines is None else (_lacking(machines[0], a, other), _lacking(machines[1], a, one))
    return "" if one == other else f"{other}{lacks[0]} against {one}{lacks[1]}"


def _lacking(machine: Machine, best: Best, dtype: str) -> str:
    return "" if _was_measured_in(machine, best, dtype) else f" (in which {machine.label} was not measured)"


def _was_measured_in(machine: Machine, best: Best, dtype: str) -> bool:
    """Whether that was tried of this model and stage, be it found wrong."""
    wanted = (best.work.model, best.work.stage)
    return any(
        dtype_words(one.setup) == dtype and one.status != "skipped"
        for one in machine.run.measurements
        if ((work := work_of(one.name)).model, work.stage) == wanted
    )


def best_words(a: str, b: str, found: Sequence[AtBest]) -> str:
    """`Mac trains 7 to 15 times as fast as Xeon, and evaluates 9 times as fast (each at its best).`; empty where
    nothing was decided."""
    spans: dict[str, str] = {}
    remarks: list[str] = []
    for stage, (verb, _) in VERBS.items():
        own = [one for one in found if one.stage == stage and one.is_decided]
        if own:
            spans[verb] = speeds_words(sorted(one.times for one in own))
            remarks += _dtype_remarks(stage, own)
    parts: list[str] = []
    for verb, span in spans.items():
        words, _, link = span.rpartition(" ")
        is_said = any(other.endswith(f"{link} {a}") for other in parts)
        parts.append(f"{verb} {words}" if is_said else f"{verb} {span} {a}")
    return f"{b} {', and '.join(parts)} ({'; '.join(['each at its best', *remarks])})." if parts else ""


def _dtype_remarks(stage: str, found: Sequence[AtBest]) -> list[str]:
    """In what the best differ, and what is left of the difference in the models' own dtype."""
    other = [one for one in found if one.dtypes]
    if not other:
        return []
    named = list(dict.fromkeys(one.dtypes for one in other))
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    plain = sorted(one.plain_times for one in other if one.plain_times is not None)
    dtypes = list(dict.fromkeys(one.plain_dtype for one in other if one.plain_dtype))
    times = speeds_words(plain).rpartition(" ")[0] if plain else "not decided"
    left = f", both in {' or '.join(dtypes)} {times}" if dtypes else ""
    return [f"{stage} in {', '.join(named[:MOST_NAMED])}{more}{left}"]


def speeds_words(speeds: Sequence[float]) -> str:
    """`1.2 to 3 times as fast as`, from the slowest to the fastest of what was decided."""
    low, high = speeds[0], speeds[-1]
    if low > 1:
        return f"{span_words(low, high)} times as fast as"
    if high < 1:
        return f"{span_words(1 / high, 1 / low)} times slower than"
    middle = median(speeds)
    typical = f"{short_times(middle)} times as fast" if middle >= 1 else f"{short_times(1 / middle)} times slower"
    ends = f"{short_times(1 / low)} times slower to {short_times(high)} times as fast"
    return f"{typical} in the middle case (from {ends}) {'than' if middle < 1 else 'as'}"
