"""Who won, and of whom it could not be told.

A winner has an interval that lies beyond the margin, or is the plain run: nothing else is ever recommended. Whoever may
be as good, and was not shown to be, is *not decided*, with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from torchstone.records import Measurement, Scalar, Setup
from torchstone.stats import WORTH_MARGIN, PairedRatio, paired_ratio
from torchstone.tuning.doubting import WAITS_LESS, Doubts
from torchstone.tuning.scoring import (
    UNITS,
    Question,
    amounts,
    exceeds,
    is_timed,
    plain_among,
    ratios,
    seconds_to_prepare,
    times_grown,
)
from torchstone.tuning.space import simplicity

AS_LITTLE = 1.02
"""Times the least bytes or joules, that count as the least."""
TOO_FEW = "too few rounds for an interval: give more --budget"
TOO_WIDE = f"its interval shows neither a gain nor a loss beyond {100 * WORTH_MARGIN:.0f} %: give more --budget"
CHANGED = "its speed changed while it was measured: try again when the machine is quiet"


@dataclass(frozen=True)
class Winner:
    """One setup that no other has beaten, or of which that could not be told."""

    setup: Setup
    ratio: float
    """Times as fast as the plain run."""
    low: float | None
    high: float | None
    median_s: float
    error: Scalar
    prepare_s: float
    pays_after_calls: float | None
    """After how many calls preparing has paid for itself, by the interval's least gain; None where it may never."""
    memory_bytes: float | None = None
    energy_joules: float | None = None
    verdict: str = "unclear"
    """Beside the plain run: `faster`, `slower`, `same` or `unclear`."""
    why: str | None = None
    """Of one that is no winner: why not."""
    is_doubted: bool = False
    """Whether no more rounds would make it one."""


def standings(
    raced: Sequence[Measurement], records: Sequence[Measurement], question: Question, doubts: Doubts
) -> tuple[tuple[Winner, ...], tuple[Winner, ...]]:
    """The winners, the simplest first; and those that were not decided, the most promising first."""
    found = [
        _winner(record, ratio, records, doubts)
        for setup, (record, ratio) in ratios(raced).items()
        if exceeds(records, setup, question) is None and times_grown(setup) == 1
    ]
    if doubts.control is not None and question.objective not in UNITS:
        found = [_beside_control(one, records, doubts.control) for one in found]
    plain = plain_among(records)
    best = _least(found, question.objective) if question.objective in UNITS else _fastest(found, plain, raced)
    rest = best if question.objective in UNITS else _not_behind(found, best, raced)
    winners = [replace(one, why=None) for one in best if not one.is_doubted]
    won = {one.setup for one in winners}
    undecided = [one for one in rest if one.why is not None and one.setup not in won]
    return (
        tuple(sorted(winners, key=lambda one: (one.setup != plain, simplicity(one.setup), -one.ratio))),
        tuple(sorted(undecided, key=lambda one: (one.is_doubted, -one.ratio))),
    )


def _least(found: Sequence[Winner], objective: str) -> list[Winner]:
    """With those in doubt that hold or take no more than the least of the others."""
    name = "memory_bytes" if objective == "memory" else "energy_joules"
    known = {winner: getattr(winner, name) for winner in found if getattr(winner, name) is not None}
    least = min((size for winner, size in known.items() if not winner.is_doubted), default=0.0)
    return [winner for winner, size in known.items() if size <= AS_LITTLE * least]


def _fastest(found: Sequence[Winner], plain: Setup | None, raced: Sequence[Measurement]) -> list[Winner]:
    """Those that were shown to beat the plain run and cannot be told apart; where there are none, the plain run and
    what is as fast. Where the plain run does not keep the bounds, whoever has an interval competes."""
    sure = [one for one in found if not one.is_doubted and one.setup != plain]
    faster = [one for one in sure if one.verdict == "faster"]
    as_it_is = [one for one in found if one.setup == plain]
    if not faster and as_it_is:
        return [*as_it_is, *(one for one in sure if one.verdict == "same" and one.ratio >= 1.0)]
    return _tied(faster or [one for one in sure if one.low is not None], raced)


def _tied(contenders: Sequence[Winner], raced: Sequence[Measurement]) -> list[Winner]:
    fastest = max(contenders, key=lambda winner: winner.ratio, default=None)
    return [one for one in contenders if fastest is not None and not _is_beaten(raced, one, fastest)]


def _not_behind(found: Sequence[Winner], best: Sequence[Winner], raced: Sequence[Measurement]) -> list[Winner]:
    """Who was neither told to be slower than the plain run nor beaten by the best."""
    fastest = max(best, key=lambda winner: winner.ratio, default=None)
    open_yet = [one for one in found if one.verdict in ("faster", "unclear")]
    return [one for one in open_yet if fastest is None or not _is_beaten(raced, one, fastest)]


def _beside_control(winner: Winner, records: Sequence[Measurement], control: Setup) -> Winner:
    """Who was not raced beside it, because the machine became busy later, keeps its verdict; a control that was lost
    clears nobody."""
    is_entered = any(one.setup == control for one in records)
    if winner.is_doubted or winner.verdict != "faster" or not is_entered:
        return winner
    known = ratios(records).get(control)
    if known is not None and _is_beaten(records, _winner(*known, records, Doubts()), winner):
        return winner
    return replace(winner, why=WAITS_LESS, is_doubted=True)


def _is_beaten(raced: Sequence[Measurement], winner: Winner, fastest: Winner) -> bool:
    """In a contest of both; or, where there was none, by intervals that do not overlap."""
    if winner is fastest:
        return False
    own = [one for one in raced if one.setup == winner.setup and is_timed(one)]
    other = [one for one in raced if one.setup == fastest.setup and is_timed(one)]
    shared = [(a, b) for a in other for b in own if a.contest == b.contest]
    if not shared:
        return winner.high is not None and fastest.low is not None and winner.high < fastest.low
    quicker, slower = shared[-1]
    return paired_ratio(quicker.samples, slower.samples).verdict == "slower"


def _winner(record: Measurement, ratio: PairedRatio, records: Sequence[Measurement], doubts: Doubts) -> Winner:
    interval, spent_s = ratio.interval, seconds_to_prepare(records)
    plain = plain_among(records)
    gained_s = median(record.samples) * (1 / (ratio.ratio if interval is None else interval.high) - 1)
    more_s = spent_s[record.setup] - (spent_s.get(plain, 0.0) if plain is not None else 0.0)
    found = Winner(
        setup=record.setup,
        ratio=1.0 / ratio.ratio,
        low=None if interval is None else 1.0 / interval.high,
        high=None if interval is None else 1.0 / interval.low,
        median_s=median(record.samples),
        error=record.facts.get("error"),
        prepare_s=spent_s[record.setup],
        pays_after_calls=max(more_s, 0.0) / gained_s if gained_s > 0 else None,
        memory_bytes=amounts(records, "bytes").get(record.setup),
        energy_joules=amounts(records, "J").get(record.setup),
        verdict=ratio.verdict,
    )
    if record.setup == plain:
        return found
    doubt = doubts.about(record.setup)
    return replace(found, why=doubt or _explain_unclear(ratio), is_doubted=doubt is not None)


def _explain_unclear(ratio: PairedRatio) -> str | None:
    if ratio.interval is None:
        return TOO_FEW
    if ratio.is_contradicted:
        return CHANGED
    return TOO_WIDE if ratio.verdict == "unclear" else None
