"""Times faster than the plain CPU: each setup's median against the baseline's, for the same name, with an interval.

The baseline is the CPU in eager float32 with plain memory layout and the most threads. The interval is conservative:
the worst of one median's interval over the best of the other's.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from torchstone import stats
from torchstone.records import Measurement, Setup


@dataclass(frozen=True)
class Speedup:
    """How many times faster than the baseline something ran; below 1 it was slower."""

    name: str
    setup: Setup
    ratio: float
    low: float | None
    high: float | None
    seconds: float
    baseline_s: float


def speedups(measurements: Sequence[Measurement]) -> list[Speedup]:
    """For every name that has a baseline, every other setup against it, in the order measured."""
    groups: dict[tuple[str, str, str], list[Measurement]] = defaultdict(list)
    for one in measurements:
        if one.unit == "s" and one.status == "ok" and one.samples and min(one.samples) > 0:
            groups[one.name, one.quantity, one.protocol].append(one)
    found: list[Speedup] = []
    for group in groups.values():
        baseline = _baseline(group)
        if baseline is not None:
            found += [_speedup(baseline, one) for one in group if one.setup != baseline.setup]
    return found


def _baseline(group: Sequence[Measurement]) -> Measurement | None:
    plain = [one for one in group if _is_plain(one.setup)]
    return max(plain, key=lambda one: one.setup.threads or 0, default=None)


def _is_plain(setup: Setup) -> bool:
    return (
        setup.device == "cpu"
        and setup.dtype in (None, "float32")
        and setup.engine == "eager"
        and setup.memory_format == "contiguous"
    )


def _speedup(baseline: Measurement, one: Measurement) -> Speedup:
    base, this = stats.quantile_interval(baseline.samples), stats.quantile_interval(one.samples)
    base_s, this_s = median(baseline.samples), median(one.samples)
    low = base.low / this.high if base and this else None
    high = base.high / this.low if base and this else None
    return Speedup(one.name, one.setup, base_s / this_s, low, high, this_s, base_s)


def baseline_words(setups: Iterable[Setup]) -> str:
    """What these setups were set against: where all are the CPU's own, "the CPU" would tell a reader nothing."""
    return "plain float32" if {setup.device for setup in setups} == {"cpu"} else "the plain CPU"


def describe_setup(setup: Setup) -> str:
    """A setup in few words: only what differs from the plain one."""
    words = [setup.device]
    if setup.dtype not in (None, "float32"):
        words.append(str(setup.dtype))
    if setup.engine != "eager":
        words.append(setup.engine)
    if setup.memory_format != "contiguous":
        words.append(setup.memory_format)
    if setup.threads is not None and setup.device == "cpu":
        words.append(f"{setup.threads} thread{'s' if setup.threads != 1 else ''}")
    return ", ".join(words)
