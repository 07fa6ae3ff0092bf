"""Times as fast as the plain CPU: each rival of a contest against the eager model there, with what may be said of it.

Plain is what a model is in its own dtype: float32 for those of the zoo, whatever a person's own model came in.

The rounds of a contest are pairs, so its ratios are paired and their intervals hold at every look; and of the many
rows of a run some would differ by chance, which `stats.declare` forbids. What was measured outside of a contest is set
against the plain CPU by the medians, with the worst of one interval over the best of the other.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from torchstone import stats
from torchstone.records import AS_IT_IS, PLAIN_DTYPE, Measurement, Setup
from torchstone.report.names import differences

MOST_ROUNDS = 5000
"""Of a contest, for its ratio: more change nothing that a person reads."""
OTHER_QUALITY = "other quality"
"""The end of a name whose work is not the same: never compared."""


@dataclass(frozen=True)
class Speedup:
    """How many times as fast as the baseline something ran; below 1 it was slower."""

    name: str
    setup: Setup
    ratio: float
    low: float | None
    high: float | None
    seconds: float
    baseline_s: float
    verdict: stats.Verdict = "unclear"
    e_value: float | None = None
    """The evidence for a difference, of a contest."""
    baseline_dtype: str = PLAIN_DTYPE

    @property
    def has_too_few_samples(self) -> bool:
        """Undecided for want of samples, which is unlike too close to call."""
        return self.low is None


def group_rivals(measurements: Iterable[Measurement]) -> list[list[Measurement]]:
    """Those that did the same work by the same rules, in the same contest where they were in one."""
    groups: dict[tuple[str | None, str, str, str], list[Measurement]] = defaultdict(list)
    for one in measurements:
        same_work = one.unit == "s" and one.status == "ok" and not one.name.endswith(OTHER_QUALITY)
        if same_work and one.samples and min(one.samples) > 0:
            groups[one.contest, one.name, one.quantity, one.protocol].append(one)
    return list(groups.values())


def speedups(measurements: Sequence[Measurement]) -> list[Speedup]:
    """For every work that has a plain CPU, every other setup against it, in the order measured."""
    groups = group_rivals(measurements)
    baselines = {_work_key(group[0]): base for group in groups if (base := plain_of(group))}
    found: list[Speedup] = []
    for group in groups:
        baseline = plain_of(group) or (None if group[0].contest else baselines.get(_work_key(group[0])))
        if baseline is not None:
            found += [times_as_fast(baseline, one) for one in group if one is not baseline]
    return _declared(found)


def _work_key(one: Measurement) -> tuple[str, str, str]:
    """Without the contest: who was taken out of one is still set beside its baseline."""
    return one.name, one.quantity, one.protocol


def plain_of(group: Sequence[Measurement], device: str = "cpu") -> Measurement | None:
    """The device's plain setup, with the most threads; None where it was not measured."""
    own = [one for one in group if one.setup.device == device]
    dtype = own_dtype(one.setup for one in group)
    plain = [one for one in own if one.setup.precision == AS_IT_IS and not differences(one.setup, dtype)]
    return max(plain, key=lambda one: one.setup.threads or 0, default=None)


def own_dtype(setups: Iterable[Setup]) -> str:
    """That in which the model came, of which these are setups: float32 where any has it with nothing cast."""
    found = {one.dtype or PLAIN_DTYPE for one in setups if one.precision == AS_IT_IS}
    return PLAIN_DTYPE if PLAIN_DTYPE in found else min(found, default=PLAIN_DTYPE)


def times_as_fast(baseline: Measurement, one: Measurement) -> Speedup:
    """By pairs where both are of one contest."""
    if one.contest is not None and one.contest == baseline.contest:
        return _paired(baseline, one)
    base, this = stats.quantile_interval(baseline.samples), stats.quantile_interval(one.samples)
    base_s, this_s = median(baseline.samples), median(one.samples)
    low = base.low / this.high if base and this else None
    high = base.high / this.low if base and this else None
    verdict = stats.verdict_of(1.0 / high, 1.0 / low) if low and high else "unclear"
    dtype = baseline.setup.dtype or PLAIN_DTYPE
    return Speedup(one.name, one.setup, base_s / this_s, low, high, this_s, base_s, verdict, baseline_dtype=dtype)


def _paired(baseline: Measurement, one: Measurement) -> Speedup:
    paired = stats.paired_ratio(baseline.samples[:MOST_ROUNDS], one.samples[:MOST_ROUNDS])
    return Speedup(
        name=one.name,
        setup=one.setup,
        ratio=1.0 / paired.ratio,
        low=1.0 / paired.interval.high if paired.interval else None,
        high=1.0 / paired.interval.low if paired.interval else None,
        seconds=median(one.samples),
        baseline_s=median(baseline.samples),
        verdict=paired.verdict,
        e_value=paired.e_value,
        baseline_dtype=baseline.setup.dtype or PLAIN_DTYPE,
    )


def _declared(found: Sequence[Speedup]) -> list[Speedup]:
    """A difference of a contest that its many neighbours may have given by chance is unclear."""
    backed = iter(stats.e_bh([one.e_value for one in found if one.e_value is not None]))
    return [one if one.e_value is None or next(backed) else _undecided(one) for one in found]


def _undecided(one: Speedup) -> Speedup:
    return replace(one, verdict="unclear") if one.verdict in ("faster", "slower") else one


def baseline_words(found: Sequence[Speedup]) -> str:
    """What these were set against: where all are the CPU's own, "the CPU" would tell a reader nothing."""
    is_cpu_alone = {one.setup.device for one in found} == {"cpu"}
    return plain_words(one.baseline_dtype for one in found) if is_cpu_alone else "the plain CPU"


def plain_words(dtypes: Iterable[str]) -> str:
    """`plain float32`; models that came in several dtypes share no name."""
    found = set(dtypes) or {PLAIN_DTYPE}
    return f"plain {found.pop()}" if len(found) == 1 else "the model as it came"
