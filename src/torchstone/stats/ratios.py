"""B's time over A's from rounds that ran both, with an interval that may be looked at after every round.

An ordinary interval holds at one look, decided beforehand: who looks again and again until it excludes 1 will see that
in the end. This one holds at all looks at once, so a contest may stop as soon as it is decided. And of many rows some
differ by chance: `declare` holds the share of false ones. Sources: Howard and Ramdas 2022, Sequential estimation of
quantiles; Wang and Ramdas 2022, False discovery rate control with e-values.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from torchstone.stats.quantiles import CONFIDENCE, Interval

MARGIN = 0.005
"""A strict comparison declares a difference only beyond this ratio: half a percent."""
WORTH_MARGIN = 0.03
"""What `bench`, `tune` and the reports declare: below it nobody chooses a setup, a fresh process has another luck with
its memory, and to tell half a percent apart takes hundreds of rounds."""
FALSE_SHARE = 0.05
"""Of all differences that a run declares, the share that may be false."""

Verdict = Literal["faster", "slower", "same", "unclear"]


@dataclass(frozen=True)
class Band:
    """The ratios that count as no difference: from `low` to `high`."""

    low: float
    high: float


def band_around(margin: float) -> Band:
    """Alike in both directions: 1 % slower and 1 % faster are the same distance."""
    return Band(1.0 / (1.0 + margin), 1.0 + margin)


STRICT = band_around(MARGIN)
BAND = band_around(WORTH_MARGIN)


def verdict_of(low: float, high: float, band: Band = BAND) -> Verdict:
    """What an interval of a time ratio says: a difference only where all of it lies beyond the band."""
    if high < band.low:
        return "faster"
    if low > band.high:
        return "slower"
    return "same" if band.low <= low and high <= band.high else "unclear"


@dataclass(frozen=True)
class PairedRatio:
    """B's time over A's, from rounds that ran both: below 1 means that B is faster."""

    ratio: float
    interval: Interval | None
    """None with too few rounds."""
    band: Band
    rounds: int
    e_value: float
    """The evidence against "no difference", for `declare`: at most 1 on average where there is none."""
    is_contradicted: bool = False
    """Whether different rounds excluded every ratio: it changed along the way, so nothing is said of it."""

    @property
    def verdict(self) -> Verdict:
        """What may be said of B."""
        if self.interval is None or self.is_contradicted:
            return "unclear"
        return verdict_of(self.interval.low, self.interval.high, self.band)


def log_evidence(rounds: int, above: int) -> float:
    """log E(n, s) = log(2ⁿ · B(s+1, n−s+1)): the evidence of s heads in n throws against a fair coin.

    The likelihood ratio with a uniform prior on the coin's bias: a martingale of mean 1 if the coin is fair, so that it
    ever reaches 1/α with probability α at most (Ville's inequality), however often one looks.
    """
    return math.lgamma(above + 1) + math.lgamma(rounds - above + 1) - math.lgamma(rounds + 2) + rounds * math.log(2.0)


@lru_cache(maxsize=1 << 14)
def anytime_rank(rounds: int, confidence: float = CONFIDENCE) -> int | None:
    """The position k (from 0) so that the k-th smallest and k-th largest ratio enclose the median, at every look.

    The largest k with E(n, k) ≥ 1/α: a median of which only k ratios lie on one side is excluded. None with too few.
    """
    enough = _log_enough(confidence)
    first_too_weak = bisect_left(range(rounds // 2 + 1), True, key=lambda k: log_evidence(rounds, k) < enough)
    return first_too_weak - 1 if first_too_weak else None


def _log_enough(confidence: float) -> float:
    return -math.log(1.0 - confidence) - 1e-12  # 1 − 0.95 is not 0.05 to the last bit


def fewest_rounds(confidence: float = CONFIDENCE) -> int:
    """How many rounds decide when all of them agree: 8 at 95 %."""
    rounds = 1
    while anytime_rank(rounds, confidence) is None:
        rounds += 1
    return rounds


class RunningRatio:
    """B's time over A's, looked at after every round.

    The interval is an anytime-valid one of the median ratio (Howard and Ramdas 2022, quantile confidence sequences):
    it holds at all rounds at once, so the intervals of all rounds so far may be intersected.
    """

    def __init__(self, confidence: float = CONFIDENCE, band: Band = BAND) -> None:
        self.confidence, self.band = confidence, band
        self._ordered: list[float] = []
        self._low, self._high = 0.0, math.inf

    @property
    def rounds(self) -> int:
        return len(self._ordered)

    def add(self, a: float, b: float) -> None:
        """One more round's two times."""
        if not (a > 0.0 and b > 0.0):
            raise ValueError("a ratio needs positive times")
        insort(self._ordered, b / a)
        own = self._own_interval()
        if own is not None:
            self._low, self._high = max(self._low, own[0]), min(self._high, own[1])

    def _own_interval(self) -> tuple[float, float] | None:
        """What this round's look alone says."""
        rank = anytime_rank(len(self._ordered), self.confidence)
        return None if rank is None else (self._ordered[rank], self._ordered[-1 - rank])

    def look(self, intersected: bool = True) -> PairedRatio:
        """What may be said now; with `intersected=False` from all ratios at once, whatever earlier looks excluded."""
        if not self._ordered:
            raise ValueError("no round has been run")
        own = self._own_interval()
        contradicted = intersected and self._low > self._high
        ends = (self._low, self._high) if own and intersected and not contradicted else own
        ratio = _geometric_median(self._ordered)
        if ends is not None:
            ratio = min(max(ratio, ends[0]), ends[1])
        interval = None if ends is None else Interval(ratio, *ends, self.confidence)
        return PairedRatio(ratio, interval, self.band, len(self._ordered), self._e_value(), contradicted)

    def _e_value(self) -> float:
        """The smallest E over the ratios within the band: evidence that the true one lies beyond it."""
        rounds = len(self._ordered)
        above = rounds - bisect_right(self._ordered, self.band.high)
        below = bisect_left(self._ordered, self.band.low)
        return math.exp(min(log_evidence(rounds, max(above, below, rounds - rounds // 2)), _LARGEST_LOG))


_LARGEST_LOG = 700.0
"""Beyond it a float overflows; nobody needs more evidence than e⁷⁰⁰."""


def _geometric_median(ordered: Sequence[float]) -> float:
    """The median that turned-over ratios turn over too."""
    below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return below if below == above else math.exp((math.log(below) + math.log(above)) / 2.0)


def paired_ratio(
    a: Sequence[float],
    b: Sequence[float],
    confidence: float = CONFIDENCE,
    band: Band = BAND,
    intersected: bool = True,
) -> PairedRatio:
    """B's time over A's from aligned samples: the i-th of each is of the same round.

    Who dropped out of a contest has fewer samples, always of the first rounds; so the shorter list sets the end.
    Samples of several processes in one list must not be intersected: a process has its own luck with memory.
    """
    running = RunningRatio(confidence, band)
    for before, after in zip(a, b, strict=False):
        running.add(before, after)
    return running.look(intersected)


def e_bh(e_values: Sequence[float], level: float = FALSE_SHARE) -> tuple[bool, ...]:
    """Which of the rows may be declared so that of those declared at most `level` are false on average.

    The e-BH procedure (Wang and Ramdas 2022): the k rows with the largest e-values, for the largest k whose k-th
    e-value is at least m/(level · k). It holds whatever the dependence between rows.
    """
    ranked = sorted(e_values, reverse=True)
    enough = (len(ranked) / (level * k) for k in range(1, len(ranked) + 1))
    passed = [value for value, needed in zip(ranked, enough, strict=True) if value >= needed * (1.0 - 1e-12)]
    return tuple(bool(passed) and value >= passed[-1] for value in e_values)


def declare(rows: Sequence[PairedRatio], level: float = FALSE_SHARE) -> tuple[Verdict, ...]:
    """The verdicts of all rows of a run: a difference that its many neighbours may have given by chance is unclear."""
    backed = e_bh([row.e_value for row in rows], level)
    return tuple(
        "unclear" if row.verdict in ("faster", "slower") and not enough else row.verdict
        for row, enough in zip(rows, backed, strict=True)
    )


def smallest_detectable_change(
    log_ratios: Sequence[float],
    draw: Callable[[int], int],
    confidence: float = CONFIDENCE,
    margin: float = MARGIN,
    resamples: int = 1000,
) -> float | None:
    """The smallest slow-down that a contest of so many rounds would find in `confidence` of the cases.

    From the rounds of A against A: resampled with `draw(n)` → 0…n−1, a true change only shifts every log-ratio, and
    with it the interval's lower end. So the answer is the shift that lifts all but the lowest 5 % of those lower ends
    over the margin. None with too few rounds for an interval.
    """
    count = len(log_ratios)
    rank = anytime_rank(count, confidence)
    if rank is None:
        return None
    lows = sorted(sorted(log_ratios[draw(count)] for _ in range(count))[rank] for _ in range(resamples))
    worst = lows[math.floor((1.0 - confidence) * resamples)]
    return math.exp(math.log1p(margin) - min(worst, 0.0)) - 1.0
