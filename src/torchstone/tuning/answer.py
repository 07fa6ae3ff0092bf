"""From the contests' records to the answer: the tied winners, the simplest first, and whether it is worth the bother.

A ratio is times as fast as the plain run, with its interval; everything is computed from the paired samples of contests
in which both took part. What was wrong is shown and never recommended.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import msgspec

from torchstone.errors import UserError
from torchstone.records import Measurement, Setup
from torchstone.report.notebooks import screen_html, screen_text, tune_screen
from torchstone.stats import paired_ratio
from torchstone.tuning.advising import advise, take_notes, without_batch
from torchstone.tuning.doubting import Doubts, doubts_of
from torchstone.tuning.scoring import LATENCY, PYTHON_SHARE, Question, exceeds, is_timed, plain_among, times_grown
from torchstone.tuning.winning import Winner, standings
from torchstone.tuning.workers import compare_workers

STAGES = ("more", "batches", "workers", "final")
"""Contests that are called by what they are for, not by an engine or a device."""
DEPTH = 2
"""Slashes in the name of a contest: `tune/TARGET/engine`."""
REFUSED = ("failed", "out_of_memory", "unsupported", "skipped")


@dataclass(frozen=True)
class Answer:
    """What `tune` found."""

    baseline: Measurement
    """The plain run; without samples where it could not be measured."""
    winners: tuple[Winner, ...]
    wrong: tuple[Measurement, ...] = ()
    lost: tuple[Measurement, ...] = ()
    advice: str = ""
    batches: tuple[dict[str, Any], ...] = ()
    untried: tuple[str, ...] = ()
    """Engines and devices that there was no time for."""
    workers: tuple[dict[str, Any], ...] = ()
    """Of the person's own DataLoader: each number with how many times as fast it was as the one that it has."""
    undecided: tuple[Winner, ...] = ()
    """Who may be as good and was not shown to be, or is in doubt; each with the reason."""
    notes: tuple[str, ...] = ()
    """What a reader should know before believing it."""
    chosen: Setup | None = None
    """What the advice recommends: the plain run where nothing is worth the bother, None where nothing keeps a bound."""
    code: str | None = None
    """The chosen setup, written out; None where there is none."""
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
    def plain_s(self) -> float | None:
        """Seconds of a call of the plain run; None where it could not be measured."""
        return median(self.baseline.samples) if self.baseline.samples else None

    @property
    def python_share(self) -> float | None:
        """Of the plain run's time, what is spent in Python code and not in torch's operators; None where unknown."""
        share = self.baseline.facts.get(PYTHON_SHARE)
        return share if isinstance(share, float) else None

    @property
    def document(self) -> dict[str, Any]:
        """As `--json` has it."""
        return {
            "baseline": {
                "setup": msgspec.to_builtins(self.baseline.setup),
                "median_s": self.plain_s,
                "python_share": self.python_share,
            },
            "winners": [msgspec.to_builtins(winner) for winner in self.winners],
            "undecided": [msgspec.to_builtins(one) for one in self.undecided],
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


def answer_from(records: Sequence[Measurement], question: Question = LATENCY, busy: str = "") -> Answer:
    """The answer; `busy` says what others did on the machine meanwhile. Raises where nothing at all is on record."""
    plain = plain_among(records)
    if plain is None:
        message = "the plain run could not be measured: no time was left for a single measurement"
        raise UserError(message, "give more --budget, or see `torchstone check`")
    doubts = doubts_of(records, question, busy)
    final = [one for one in records if one.name.endswith("/final")]
    raced = final if any(is_timed(one) and one.setup == plain for one in final) else records
    winners, undecided = standings(raced, records, question, doubts)
    answer = Answer(
        _baseline(raced, plain),
        winners,
        _newest([one for one in records if one.status == "wrong"]),
        _newest(_lost(records, question)),
        batches=_batches(records, question, doubts),
        untried=tuple(_untried(records)),
        workers=tuple(compare_workers(records)),
        undecided=undecided,
    )
    advice, chosen = advise(answer, question, doubts)
    return replace(answer, advice=advice, chosen=chosen, notes=take_notes(answer, records, question, doubts))


def _baseline(records: Sequence[Measurement], plain: Setup) -> Measurement:
    """The plain run's newest record that has samples; without any, the one that says best why."""
    own = [one for one in records if one.setup == plain]
    timed = [one for one in own if is_timed(one)]
    return timed[-1] if timed else min(own, key=lambda one: (not one.reason, one.status == "skipped"))


def _newest(records: Sequence[Measurement]) -> tuple[Measurement, ...]:
    return tuple({record.setup: record for record in records}.values())


def _untried(records: Sequence[Measurement]) -> list[str]:
    """What was not begun is recorded under the plain run, by the name of its contest."""
    plain, raced = plain_among(records), {one.contest for one in records}
    skipped = [one for one in records if one.status == "skipped" and one.setup == plain and one.name not in raced]
    names = dict.fromkeys(one.name.split("/")[-1] for one in skipped if one.name.count("/") == DEPTH)
    return [name for name in names if name not in STAGES]


def _lost(records: Sequence[Measurement], question: Question) -> list[Measurement]:
    """Who could not be timed, and who was and does not keep a bound; why the plain run was not, the advice says."""
    timed = {plain_among(records), *(one.setup for one in records if one.samples)}
    found = [one for one in records if one.status in REFUSED and one.setup not in timed]
    for record in records:
        beyond = exceeds(records, record.setup, question) if is_timed(record) else None
        if beyond is not None and times_grown(record.setup) == 1:
            found.append(msgspec.structs.replace(record, status="skipped", reason=beyond, samples=()))
    return found


def _batches(records: Sequence[Measurement], question: Question, doubts: Doubts) -> tuple[dict[str, Any], ...]:
    """Each larger batch: rows a second beside the plain run's, and whether a call keeps the bounds. What is in doubt in
    a small batch is in a large one."""
    found = []
    plain = plain_among(records)
    for record in records:
        times = times_grown(record.setup)
        beside = {one.setup: one.samples for one in records if one.contest == record.contest and is_timed(one)}
        if times == 1 or not is_timed(record) or plain not in beside or doubts.about(without_batch(record.setup)):
            continue
        a_row = tuple(sample / times for sample in record.samples)
        ratio = paired_ratio(beside[plain], a_row)
        if doubts.control in beside and paired_ratio(beside[doubts.control], a_row).verdict != "faster":
            continue
        setup, call_s = msgspec.to_builtins(record.setup), median(record.samples)
        low, high = (1 / ratio.interval.high, 1 / ratio.interval.low) if ratio.interval else (None, None)
        found.append(
            {
                "times": times,
                "setup": setup,
                "ratio": 1 / ratio.ratio,
                "low": low,
                "high": high,
                "call_s": call_s,
                "keeps_bound": exceeds(records, record.setup, question) is None,
            }
        )
    return tuple(sorted(found, key=lambda one: -float(one["ratio"])))
