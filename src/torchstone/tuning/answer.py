"""From the contests' records to the answer: the tied winners, the simplest first, and whether it is worth the bother.

A ratio is times as fast as the plain run, with its interval; everything is computed from the paired samples of contests
in which both took part. What was wrong is shown and never recommended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

import msgspec

from torchstone.errors import UserError
from torchstone.records import Measurement, Scalar, Setup
from torchstone.report.notebooks import screen_html, screen_text, tune_screen
from torchstone.stats import PairedRatio, paired_ratio
from torchstone.tuning.advising import advise, take_notes
from torchstone.tuning.scoring import (
    LATENCY,
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
from torchstone.tuning.workers import compare_workers

AS_LITTLE = 1.02
"""Times the least bytes or joules, that count as the least."""
STAGES = ("more", "batches", "workers", "final")
"""Contests that are called by what they are for, not by an engine or a device."""
DEPTH = 2
"""Slashes in the name of a contest: `tune/TARGET/engine`."""
REFUSED = ("failed", "out_of_memory", "unsupported", "skipped")


@dataclass(frozen=True)
class Winner:
    """One setup that no other has beaten."""

    setup: Setup
    ratio: float
    """Times as fast as the plain run."""
    low: float | None
    high: float | None
    median_s: float
    error: Scalar
    prepare_s: float
    pays_after_calls: float | None
    """After how many calls preparing has paid for itself; None where it never does."""
    memory_bytes: float | None = None
    energy_joules: float | None = None


@dataclass(frozen=True)
class Answer:
    """What `tune` found."""

    baseline: Measurement
    winners: tuple[Winner, ...]
    wrong: tuple[Measurement, ...] = ()
    lost: tuple[Measurement, ...] = ()
    advice: str = ""
    batches: tuple[dict[str, Any], ...] = ()
    untried: tuple[str, ...] = ()
    """Engines and devices that there was no time for."""
    workers: tuple[dict[str, Any], ...] = ()
    """Of the person's own DataLoader: each number with how many times as fast it was as the one that it has."""
    notes: tuple[str, ...] = ()
    """What a reader should know before believing it."""
    chosen: Setup = field(default_factory=Setup)
    """What the advice recommends: the plain run where nothing is worth the bother."""
    code: str | None = None
    """The chosen setup, written out."""
    interrupted: BaseException | None = None
    """What ended the search early, if something did."""

    def __repr__(self) -> str:
        return screen_text(tune_screen(self.target, self.document))

    def _repr_html_(self) -> str:
        return screen_html(tune_screen(self.target, self.document))

    @property
    def target(self) -> str:
        """What was tuned; contests are called `tune/TARGET/engine`."""
        return self.baseline.name.partition("/")[2].partition("/")[0] or "the model"

    @property
    def document(self) -> dict[str, Any]:
        """As `--json` has it."""
        return {
            "baseline": {"setup": msgspec.to_builtins(self.baseline.setup), "median_s": median(self.baseline.samples)},
            "winners": [msgspec.to_builtins(winner) for winner in self.winners],
            "wrong": [_told(record) for record in self.wrong],
            "lost": [_told(record) for record in self.lost],
            "batches": list(self.batches),
            "workers": list(self.workers),
            "advice": self.advice,
            "notes": list(self.notes),
            "chosen": msgspec.to_builtins(self.chosen),
            "code": self.code,
            "interrupted": self.interrupted is not None,
        }


def _told(record: Measurement) -> dict[str, Any]:
    return {"setup": msgspec.to_builtins(record.setup), "status": record.status, "reason": record.reason}


def answer_from(records: Sequence[Measurement], question: Question = LATENCY) -> Answer:
    """The answer; raises where not even the plain run could be measured."""
    plain = plain_among(records)
    final = [one for one in records if one.name.endswith("/final")]
    raced = final if any(is_timed(one) and one.setup == plain for one in final) else records
    baseline = next((one for one in reversed(raced) if is_timed(one) and one.setup == plain), None)
    if baseline is None:
        why = next((one.reason for one in records if one.reason), "no time was left for a single measurement")
        raise UserError(f"the plain run could not be measured: {why}", "give more --budget, or see `torchstone check`")
    answer = Answer(
        baseline,
        _winners(raced, records, question),
        _newest([one for one in records if one.status == "wrong"]),
        _newest(_lost(records, question)),
        batches=_batches(records, question),
        untried=tuple(_untried(records)),
        workers=tuple(compare_workers(records)),
    )
    advice, chosen = advise(answer, question)
    return replace(answer, advice=advice, chosen=chosen, notes=take_notes(answer, records, question))


def _newest(records: Sequence[Measurement]) -> tuple[Measurement, ...]:
    return tuple({record.setup: record for record in records}.values())


def _untried(records: Sequence[Measurement]) -> list[str]:
    """What was not begun is recorded under the plain run, by the name of its contest."""
    plain, raced = plain_among(records), {one.contest for one in records}
    skipped = [one for one in records if one.status == "skipped" and one.setup == plain and one.name not in raced]
    names = dict.fromkeys(one.name.split("/")[-1] for one in skipped if one.name.count("/") == DEPTH)
    return [name for name in names if name not in STAGES]


def _lost(records: Sequence[Measurement], question: Question) -> list[Measurement]:
    """Who could not be timed, and who was and does not keep a bound."""
    timed = {one.setup for one in records if one.samples}
    found = [one for one in records if one.status in REFUSED and one.setup not in timed]
    for record in records:
        beyond = exceeds(records, record.setup, question) if is_timed(record) else None
        if beyond is not None and times_grown(record.setup) == 1:
            found.append(msgspec.structs.replace(record, status="skipped", reason=beyond, samples=()))
    return found


def _winners(raced: Sequence[Measurement], records: Sequence[Measurement], question: Question) -> tuple[Winner, ...]:
    """Those that cannot be told from the best; the simplest first."""
    found = [
        _winner(record, ratio, records)
        for setup, (record, ratio) in ratios(raced).items()
        if exceeds(records, setup, question) is None and times_grown(setup) == 1
    ]
    if question.objective in UNITS:
        tied = _least(found, "memory_bytes" if question.objective == "memory" else "energy_joules")
    else:
        fastest = min(found, key=lambda winner: winner.median_s, default=None)
        tied = [winner for winner in found if fastest is not None and not _is_beaten(raced, winner, fastest)]
    return tuple(sorted(tied, key=lambda winner: (simplicity(winner.setup), -winner.ratio)))


def _least(found: Sequence[Winner], amount: str) -> list[Winner]:
    known = {winner: getattr(winner, amount) for winner in found if getattr(winner, amount) is not None}
    return [winner for winner, size in known.items() if size <= AS_LITTLE * min(known.values())]


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


def _winner(record: Measurement, ratio: PairedRatio, records: Sequence[Measurement]) -> Winner:
    interval, spent_s = ratio.interval, seconds_to_prepare(records)
    plain = plain_among(records)
    gained_s = median(record.samples) * (1 / ratio.ratio - 1)
    more_s = spent_s[record.setup] - (spent_s.get(plain, 0.0) if plain is not None else 0.0)
    return Winner(
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
    )


def _batches(records: Sequence[Measurement], question: Question) -> tuple[dict[str, Any], ...]:
    """Each larger batch: rows a second beside the plain run's, and whether a call keeps the bounds."""
    found = []
    plain = plain_among(records)
    for record in records:
        times = times_grown(record.setup)
        baseline = [one for one in records if one.contest == record.contest and one.setup == plain and is_timed(one)]
        if times == 1 or not is_timed(record) or not baseline:
            continue
        ratio = paired_ratio(baseline[-1].samples, tuple(sample / times for sample in record.samples))
        setup, call_s = msgspec.to_builtins(record.setup), median(record.samples)
        keeps = exceeds(records, record.setup, question) is None
        found.append({"times": times, "setup": setup, "ratio": 1 / ratio.ratio, "call_s": call_s, "keeps_bound": keeps})
    return tuple(sorted(found, key=lambda one: -float(one["ratio"])))
