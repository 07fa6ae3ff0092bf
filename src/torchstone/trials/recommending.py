"""Which of several right ways is the fastest here? Measured one after another, then the best against its rivals.

The medians of an experiment are taken minutes apart, while the machine drifts; they only say who is worth a closer
look. Each of those is set against the best in random-order pairs. What cannot be told apart is named as tied, with
intervals widened for the number of comparisons.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone import stats
from torchstone.measuring.comparing import compare_in_process
from torchstone.measuring.timing import Call
from torchstone.records import Finding, Measurement, Scalar
from torchstone.stats import PairedRatio

RIVAL = 1.5
"""Times the best median: who took longer is not looked at again, as no machine drifts so far within a case."""
PAIRS_NEEDED = 15
"""Pairs that a comparison takes: six to compare, the others to warm up."""


@dataclass(frozen=True)
class Candidate:
    """One way: its name, what it does in words, what was measured of it, and how to call it again."""

    name: str
    words: str
    measurement: Measurement
    call: Call

    @property
    def median_s(self) -> float:
        return median(self.measurement.samples)


def recommend(kind: str, candidates: Sequence[Candidate], asked: str, budget_s: float) -> Finding | None:
    """The finding that names the fastest of the right ones; `asked` says what right means here. None where too few were
    timed to speak of a fastest: the records of what was skipped say why."""
    tried = [one for one in candidates if one.measurement.status != "skipped"]
    untimed = [one.name for one in candidates if one.measurement.status == "skipped"]
    if not tried or (untimed and len(tried) == 1):
        return None
    right = sorted((one for one in tried if _is_right(one)), key=lambda one: one.median_s)
    if not right:
        ended = "; ".join(f"{one.name}: {one.measurement.status}" for one in tried)
        evidence = f"no way gave a right result ({asked}): {ended}"
        return Finding(
            kind=kind,
            subject=tried[0].measurement.name,
            verdict="none",
            level="warning",
            tier="measured",
            evidence=evidence,
        )
    ratios = _compare_rivals(right, budget_s)
    best = _best(right, ratios)
    if best is not right[0]:  # the pairs overruled the medians, so the others have to be set against the new best
        right = [best, *(one for one in right if one is not best)]
        ratios = _compare_rivals(right, budget_s)
    return _finding(kind, right, ratios, untimed, asked)


def _is_right(one: Candidate) -> bool:
    return one.measurement.status == "ok" and bool(one.measurement.samples)


def _compare_rivals(right: Sequence[Candidate], budget_s: float) -> dict[str, PairedRatio | None]:
    """Each near rival's time over the first one's; None where the seconds do not hold a comparison."""
    best = right[0]
    rivals = [one for one in right[1:] if one.median_s <= RIVAL * best.median_s]
    return {one.name: _compare(best, one, budget_s / len(rivals), len(rivals)) for one in rivals}


def _compare(best: Candidate, rival: Candidate, budget_s: float, comparisons: int) -> PairedRatio | None:
    if PAIRS_NEEDED * (best.median_s + rival.median_s) > budget_s:
        return None
    found = compare_in_process(best.call, rival.call, device=best.measurement.setup.device, budget_s=budget_s)
    if found.ratio is None:
        return None
    confidence = 1 - (1 - stats.CONFIDENCE) / comparisons
    return stats.paired_ratio(found.a.samples, found.b.samples, confidence)


def _best(right: Sequence[Candidate], ratios: dict[str, PairedRatio | None]) -> Candidate:
    """The first, unless pairs show that another is faster."""
    faster = {name: ratio.ratio for name, ratio in ratios.items() if ratio and ratio.verdict == "faster"}
    if not faster:
        return right[0]
    quickest = min(faster, key=lambda name: faster[name])
    return next(one for one in right if one.name == quickest)


def _finding(
    kind: str,
    right: Sequence[Candidate],
    ratios: dict[str, PairedRatio | None],
    untimed: Sequence[str],
    asked: str,
) -> Finding:
    best, *others = right
    tied = [name for name, ratio in ratios.items() if ratio is None or ratio.verdict != "slower"]
    items, item = best.measurement.facts.get("items"), best.measurement.facts.get("item")
    rate = float(items) / best.median_s if isinstance(items, int | float) else None
    facts: dict[str, Scalar] = {
        "fastest": best.name,
        "device": best.measurement.setup.device,
        "threads": best.measurement.setup.threads,
        "tied with": ", ".join(tied) or None,
        "not timed": ", ".join(untimed) or None,
        "rate": rate,
        "item": item,
        "way": best.words,
    }
    beside = [_beside(best, one, ratios) for one in others] or ["no other way gave a right result"]
    beside += [f"not timed: {', '.join(untimed)}"] if untimed else []
    speed = f"{rate:.4g} {item}/s" if rate is not None else f"{best.median_s:.4g} s"
    evidence = f"fastest right way on this CPU: {best.name} ({best.words}), {speed}; {'; '.join(beside)}; {asked}"
    return Finding(
        kind=kind,
        subject=best.measurement.name,
        verdict="ok",
        level="ok",
        tier="measured",
        evidence=evidence,
        facts=facts,
    )


def _beside(best: Candidate, other: Candidate, ratios: dict[str, PairedRatio | None]) -> str:
    if other.name not in ratios:
        return f"{other.name} takes {other.median_s / best.median_s:.3g}× as long"
    ratio = ratios[other.name]
    if ratio is None or ratio.interval is None:
        return f"{other.name} is near, and no seconds were left to tell them apart"
    span = f"{ratio.ratio:.3f}× as long in pairs ({ratio.interval.low:.3f}–{ratio.interval.high:.3f})"
    return f"{other.name} takes {span}" if ratio.verdict == "slower" else f"{other.name} is tied: {span}"
