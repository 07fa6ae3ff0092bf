"""Does a run agree with itself? The same work in the same setup is measured in more than one case: in its contest, as
the baseline of another, call by call as its hot latency. Where these lie far apart, something in the run changed
meanwhile (threads of another library, heat, other programs, the host of a virtual machine), and no verdict of one of
them shows it. A sustained latency may be slower, as heat makes it so, but nothing makes it quicker. Nor do the pairs of
a contest show that all of it became slower from round to round."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from torchstone import stats
from torchstone.records import Measurement, Run, Setup
from torchstone.report.cases import MOST_SAMPLES
from torchstone.report.formatting import count_words, format_value
from torchstone.report.names import Work, call_of, describe_setup, work_of
from torchstone.stats import Interval

FAR_APART = 1.3
"""Times, of two medians whose intervals lie apart: two cases of a quiet run lie within a few per cent of each other."""
SLOWED_DOWN = 1.5
"""Times, of the last quarter of the samples over the first."""
FEWEST_TO_DRIFT = 16
"""Samples: four in a quarter."""
MOST_TO_DRIFT = 64
"""For the slope, which takes the square of them."""
LONG_CALL_S = 1e-3
"""From here on it does not matter on the CPU how many calls make a sample."""
BEYOND_CACHES = 10.0
"""Times, that no memory makes on the CPU which is cold in one case and warm in the other."""
SUSTAINED = "sustained"
PROTOCOLS = ("contest", "hot", SUSTAINED)
Call = tuple[Work, Setup]


@dataclass(frozen=True)
class Disagreement:
    """Two measurements of one run that cannot both be right."""

    what: str
    quicker: Interval
    slower: Interval

    @property
    def times(self) -> float:
        return self.slower.estimate / self.quicker.estimate

    @property
    def is_beyond_doubt(self) -> bool:
        """Few samples on a busy machine have wide intervals, which meet."""
        return self.times > FAR_APART and self.slower.low > self.quicker.high * stats.BAND.high

    @property
    def words(self) -> str:
        both = [format_value(one.estimate, "s") for one in (self.quicker, self.slower)]
        return f"{self.what} took {both[0]} in one case and {both[1]} in another"


def doubt_of_itself(run: Run) -> str:
    """The largest disagreement in words, with how many more there are; empty where the run agrees with itself."""
    found = sorted(disagreements(run.measurements), key=lambda one: -one.times)
    if not found:
        return ""
    more = f", and {count_words(len(found) - 1, 'more such pair')}" if len(found) > 1 else ""
    return f"it disagrees with itself: {found[0].words}{more}"


def disagreements(measurements: Sequence[Measurement]) -> list[Disagreement]:
    """Of every two cases that time the same call."""
    groups: dict[Call, dict[str, tuple[Measurement, Interval]]] = defaultdict(dict)
    for one in measurements:
        call = timed_call(one)
        interval = None if call is None else stats.quantile_interval(one.samples[:MOST_SAMPLES])
        if call is not None and interval is not None and interval.low > 0:
            groups[call][one.name] = one, interval
    pairs = [(call, pair) for call, group in groups.items() for pair in combinations(group.values(), 2)]
    found = [(_compare(call, (first[1], last[1])), first[0], last[0]) for call, (first, last) in pairs]
    return [between for between, one, other in found if between.is_beyond_doubt and may_be_compared(one, other)]


def _compare(call: Call, pair: tuple[Interval, Interval]) -> Disagreement:
    work, setup = call
    quicker, slower = sorted(pair, key=lambda one: one.estimate)
    return Disagreement(f"{work.words} ({describe_setup(setup)})", quicker, slower)


def timed_call(one: Measurement) -> Call | None:
    """The work and its setup, where another case may time the same; None for all else."""
    work = call_of(one.name)
    is_timed = one.status == "ok" and one.unit == "s" and one.protocol in PROTOCOLS and bool(one.samples)
    return (work, one.setup) if work is not None and is_timed else None


def may_be_compared(one: Measurement, other: Measurement) -> bool:
    """Whether two that time the same call must agree: unless a long load made the slower one hot, or their samples hold
    other numbers of calls. A device is waited for once a sample, and a short call finds in the caches what the one
    before left there."""
    quicker, slower = sorted((one, other), key=lambda each: median(each.samples))
    if slower.protocol == SUSTAINED:
        return False
    if quicker.calls_per_sample == slower.calls_per_sample:
        return True
    quicker_s, slower_s = median(quicker.samples), median(slower.samples)
    is_clear = quicker_s >= LONG_CALL_S or slower_s >= max(LONG_CALL_S, BEYOND_CACHES * quicker_s)
    return one.setup.device == "cpu" and is_clear


def drift_words(run: Run) -> str:
    """The work that became slowest while it was measured, with how many more did; empty where none."""
    found: dict[str, tuple[float, str]] = {}
    for one in run.measurements:
        if _may_drift(one) and (ends := _drift(one.samples)) is not None:
            first, last = ends
            words = f"{work_of(one.name).words} ({describe_setup(one.setup)}) got slower while it was measured"
            said = f"{words}: {format_value(first, 's')} at first, {format_value(last, 's')} in the end"
            found.setdefault(one.name, (last / first, said))
    if not found:
        return ""
    more = f", and so did {count_words(len(found) - 1, 'more case')}" if len(found) > 1 else ""
    return f"{max(found.values())[1]}{more}"


def _may_drift(one: Measurement) -> bool:
    """Not what was called for a long time, to see just that."""
    is_long_enough = len(one.samples) >= FEWEST_TO_DRIFT
    return one.status == "ok" and one.unit == "s" and one.contest is not None and is_long_enough


def _drift(samples: Sequence[float]) -> tuple[float, float] | None:
    """The medians of the first and the last quarter, where the samples rise from one to the other beyond doubt."""
    quarter = len(samples) // 4
    first, last = median(samples[:quarter]), median(samples[-quarter:])
    if first <= 0 or last <= SLOWED_DOWN * first:
        return None
    thinned = samples[:: math.ceil(len(samples) / MOST_TO_DRIFT)]
    slope = stats.theil_sen([float(number) for number in range(len(thinned))], thinned)
    return (first, last) if slope is not None and slope.low > 0 else None
