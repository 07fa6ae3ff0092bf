"""Scores from records: how good each right setup is at what was asked for, and whether it keeps the bounds.

Seconds are taken as paired ratios to the plain run of the same contest, so that a machine that is slower for a minute
favours nobody; bytes and joules as they are. Less is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone.errors import UserError
from torchstone.measuring.spelling import spell_milliseconds
from torchstone.models.placing import is_plain
from torchstone.records import Measurement, Setup
from torchstone.stats import PairedRatio, paired_ratio

GROWN = "batch×"
"""Of a setup's options, with the number of times the rows: the same setup in a larger batch is another rival."""
PYTHON_SHARE = "python_share"
"""Of the plain run's facts: how much of its time is spent in Python code and not in torch's operators."""
OBJECTIVES = ("latency", "throughput", "memory", "energy")
UNITS = {"memory": "bytes", "energy": "J"}
"""Of the objectives that are not a matter of seconds."""


@dataclass(frozen=True)
class Question:
    """What is to be best, and what it may cost."""

    objective: str = "latency"
    latency_bound_s: float | None = None
    memory_bound_bytes: float | None = None

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise UserError(f"no objective {self.objective!r}", f"there are: {', '.join(OBJECTIVES)}")

    @property
    def needs_memory(self) -> bool:
        return self.objective == "memory" or self.memory_bound_bytes is not None


LATENCY = Question()


def plain_among(records: Sequence[Measurement]) -> Setup | None:
    """The plain run on the CPU with all threads: the baseline of every contest."""
    plains = [one.setup for one in records if one.setup.device == "cpu" and is_plain(one.setup)]
    return max(plains, key=lambda setup: setup.threads or 0, default=None)


def times_grown(setup: Setup) -> int:
    """How many times the rows a call of it takes."""
    return next((int(one.removeprefix(GROWN)) for one in setup.options if one.startswith(GROWN)), 1)


def is_timed(record: Measurement) -> bool:
    """Whether it tells of a right setup how quick it was in a contest."""
    return record.unit == "s" and record.status == "ok" and bool(record.samples) and record.contest is not None


def ratios(records: Sequence[Measurement]) -> dict[Setup, tuple[Measurement, PairedRatio]]:
    """Each right setup with its time over the plain run's, from the newest contest in which both took part."""
    plain, timed = plain_among(records), [one for one in records if is_timed(one)]
    found: dict[Setup, tuple[Measurement, PairedRatio]] = {}
    for place, record in enumerate(timed):
        baseline = _baseline_of(timed, place, plain)
        if baseline is not None:
            found[record.setup] = (record, paired_ratio(baseline.samples, record.samples))
    return found


def _baseline_of(timed: Sequence[Measurement], place: int, plain: Setup | None) -> Measurement | None:
    """The plain run that the record there raced: of the same contest, the last up to it. A contest whose process died
    may have begun anew, and rounds of one sitting say nothing beside those of another."""
    contest = timed[place].contest
    before, after = (
        [one for one in some if one.setup == plain and one.contest == contest]
        for some in (timed[: place + 1], timed[place + 1 :])
    )
    return before[-1] if before else next(iter(after), None)


def amounts(records: Sequence[Measurement], unit: str) -> dict[Setup, float]:
    """The bytes or joules of each setup of which they were measured."""
    return {
        one.setup: median(one.samples) for one in records if one.unit == unit and one.status == "ok" and one.samples
    }


def scores(records: Sequence[Measurement], question: Question) -> dict[Setup, float]:
    """Of every right setup that keeps the bounds."""
    timed = {
        setup: one
        for setup, one in ratios(records).items()
        if times_grown(setup) == 1 and not exceeds(records, setup, question)
    }
    unit = UNITS.get(question.objective)
    if unit is None:
        return {setup: ratio.ratio for setup, (_, ratio) in timed.items()}
    measured = amounts(records, unit)
    return {setup: measured[setup] for setup in timed if setup in measured}


def exceeds(records: Sequence[Measurement], setup: Setup, question: Question) -> str | None:
    """Which bound it does not keep, in words. A latency that is too long is only held against it where something else
    than the latency is to be best: else the fastest is the nearest to the bound anyway."""
    held = amounts(records, "bytes").get(setup)
    allowed = question.memory_bound_bytes
    if held is not None and allowed is not None and held > allowed:
        return f"a call holds {held / 1e9:.3g} GB, and {allowed / 1e9:.3g} GB are allowed"
    took = [median(one.samples) for one in records if one.setup == setup and is_timed(one)]
    bound = question.latency_bound_s
    if question.objective != "latency" and took and bound is not None and took[-1] > bound:
        return f"a call takes {spell_milliseconds(took[-1])}, and {spell_milliseconds(bound)} are allowed"
    return None


def seconds_to_prepare(records: Sequence[Measurement]) -> dict[Setup, float]:
    """What preparing and the first call took, where that was not done already."""
    found: dict[Setup, float] = {}
    for one in records:
        spent_s = float(one.facts.get("prepare_s") or 0.0) + (one.first_call_s or 0.0)
        found[one.setup] = max(found.get(one.setup, 0.0), spent_s)
    return found
