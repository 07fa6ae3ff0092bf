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
from torchstone.models.placing import is_plain
from torchstone.records import Measurement, Scalar, Setup
from torchstone.report.notebooks import screen_html, screen_text, tune_screen
from torchstone.stats import PairedRatio, paired_ratio
from torchstone.tuning.space import simplicity

GROWN = "batch×"
"""Of a setup's options, with the number of times the rows: the same setup in a larger batch is another rival."""
WORTHWHILE = 1.03
"""Times as fast below which nobody should change a program."""


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


@dataclass(frozen=True)
class Answer:
    """What `tune` found."""

    baseline: Measurement
    winners: tuple[Winner, ...]
    wrong: tuple[Measurement, ...] = ()
    lost: tuple[Measurement, ...] = ()
    advice: str = ""
    batches: tuple[dict[str, Any], ...] = field(default_factory=tuple)

    def __repr__(self) -> str:
        return screen_text(tune_screen(self.target, self.document))

    def _repr_html_(self) -> str:
        return screen_html(tune_screen(self.target, self.document))

    @property
    def target(self) -> str:
        """What was tuned; contests are called `tune/TARGET/engine`."""
        return self.baseline.name.partition("/")[2].rpartition("/")[0] or "the model"

    @property
    def document(self) -> dict[str, Any]:
        """As `--json` has it."""
        return {
            "baseline": {"setup": msgspec.to_builtins(self.baseline.setup), "median_s": median(self.baseline.samples)},
            "winners": [msgspec.to_builtins(winner) for winner in self.winners],
            "wrong": [_told(record) for record in self.wrong],
            "lost": [_told(record) for record in self.lost],
            "batches": list(self.batches),
            "advice": self.advice,
        }


def _told(record: Measurement) -> dict[str, Any]:
    return {"setup": msgspec.to_builtins(record.setup), "status": record.status, "reason": record.reason}


def best_first(records: Sequence[Measurement], near: float) -> list[Measurement]:
    """The quickest right one of every contest, and who is near the quickest of all; the best first."""
    right = [one for one in records if one.unit == "s" and one.status == "ok" and one.contest and one.samples]
    if not right:
        return []
    quickest = {one.contest: one for one in sorted(right, key=lambda one: -median(one.samples))}
    best = min(median(one.samples) for one in right)
    chosen = [one for one in right if quickest[one.contest] is one or median(one.samples) <= near * best]
    ordered = sorted(chosen, key=lambda one: median(one.samples))
    return list({one.setup: one for one in ordered}.values())


def _ratios(records: Sequence[Measurement]) -> dict[Setup, tuple[Measurement, PairedRatio]]:
    """Each right setup with its time over the plain run's, from the newest contest in which both took part."""
    found: dict[Setup, tuple[Measurement, PairedRatio]] = {}
    for record in records:
        plain = _plain_of(records, record)
        if record.unit == "s" and record.status == "ok" and record.samples and plain is not None and plain.samples:
            found[record.setup] = (record, paired_ratio(plain.samples, record.samples))
    return found


def _plain_of(records: Sequence[Measurement], record: Measurement) -> Measurement | None:
    rivals = [one for one in records if one.contest == record.contest and one.contest is not None]
    plain = [one for one in rivals if _is_baseline(one.setup)]
    return plain[-1] if plain else None


def _is_baseline(setup: Setup) -> bool:
    """The plain run on the CPU with all threads, of which there is one in every contest: its first."""
    return setup.device == "cpu" and is_plain(setup) and setup.threads != 1


def answer_from(
    objective: str,
    records: Sequence[Measurement],
    batches: Sequence[Measurement],
    latency_bound_s: float | None = None,
) -> Answer:
    """The answer; raises where not even the plain run could be measured."""
    baselines = [one for one in records if one.contest and one.samples and _is_baseline(one.setup)]
    if not baselines:
        why = next((one.reason for one in records if one.reason), "no time was left for a single measurement")
        raise UserError(f"the plain run could not be measured: {why}", "give more --budget, or see `torchstone check`")
    final = [one for one in records if one.name.endswith("/final")]
    raced = final if any(_is_baseline(one.setup) and one.samples for one in final) else list(records)
    baseline = next(one for one in reversed(raced) if one.contest and one.samples and _is_baseline(one.setup))
    memory = {one.setup: one.samples[0] for one in records if one.unit == "bytes" and one.samples}
    winners = _winners(raced, memory, baseline, objective)
    bad = [one for one in records if one.status == "wrong"]
    timed = {one.setup for one in records if one.samples}
    refused = ("failed", "out_of_memory", "unsupported", "skipped")
    lost = [one for one in records if one.status in refused and one.setup not in timed]
    grown = _batches(batches, baseline, latency_bound_s)
    answer = Answer(baseline, winners, _newest(bad), _newest(lost), batches=grown)
    return replace(answer, advice=_advice(answer, objective))


def _newest(records: Sequence[Measurement]) -> tuple[Measurement, ...]:
    return tuple({record.setup: record for record in records}.values())


def _winners(
    raced: Sequence[Measurement], memory: dict[Setup, float], baseline: Measurement, objective: str
) -> tuple[Winner, ...]:
    """Those that cannot be told from the fastest; the simplest first. By memory, where that is asked for."""
    ratios = _ratios(raced)
    found = [_winner(record, ratio, memory.get(setup), baseline) for setup, (record, ratio) in ratios.items()]
    if objective == "memory" and any(one.memory_bytes is not None for one in found):
        least = min(one.memory_bytes for one in found if one.memory_bytes is not None)
        return tuple(one for one in found if one.memory_bytes is not None and one.memory_bytes <= 1.02 * least)
    fastest = min(found, key=lambda one: one.median_s)
    tied = [one for one in found if one is fastest or not _is_beaten(raced, one.setup, fastest.setup)]
    return tuple(sorted(tied, key=lambda one: (simplicity(one.setup), -one.ratio)))


def _is_beaten(raced: Sequence[Measurement], setup: Setup, by: Setup) -> bool:
    own = [one for one in raced if one.setup == setup and one.contest and one.samples]
    other = [one for one in raced if one.setup == by and one.contest and one.samples]
    shared = [(a, b) for a in other for b in own if a.contest == b.contest]
    if not shared:
        return median(own[-1].samples) > median(other[-1].samples)
    winner, loser = shared[-1]
    return paired_ratio(winner.samples, loser.samples).verdict == "slower"


def _winner(record: Measurement, ratio: PairedRatio, memory: float | None, baseline: Measurement) -> Winner:
    interval = ratio.interval
    prepare_s = float(record.facts.get("prepare_s") or 0.0) + (record.first_call_s or 0.0)
    gained_s = median(baseline.samples) - median(record.samples)
    return Winner(
        setup=record.setup,
        ratio=1.0 / ratio.ratio,
        low=None if interval is None else 1.0 / interval.high,
        high=None if interval is None else 1.0 / interval.low,
        median_s=median(record.samples),
        error=record.facts.get("error"),
        prepare_s=prepare_s,
        pays_after_calls=prepare_s / gained_s if gained_s > 0 else None,
        memory_bytes=memory,
    )


def _batches(
    records: Sequence[Measurement], baseline: Measurement, latency_bound_s: float | None
) -> tuple[dict[str, Any], ...]:
    """Each larger batch: rows a second beside the plain run's, and whether a call keeps the latency bound."""
    found = []
    for record in records:
        times = next(
            (int(one.removeprefix("batch×")) for one in record.setup.options if one.startswith("batch×")), None
        )
        plain = _plain_of(records, record)
        if times is None or not record.samples or plain is None:
            continue
        ratio = paired_ratio(plain.samples, tuple(sample / times for sample in record.samples))
        call_s = median(record.samples)
        keeps = latency_bound_s is None or call_s <= latency_bound_s
        setup = msgspec.to_builtins(record.setup)
        found.append({"times": times, "setup": setup, "ratio": 1 / ratio.ratio, "call_s": call_s, "keeps_bound": keeps})
    return tuple(sorted(found, key=lambda one: -float(one["ratio"])))


def _advice(answer: Answer, objective: str) -> str:
    best = max(answer.winners, key=lambda one: one.ratio)
    kept = [one for one in answer.batches if one["keeps_bound"]]
    if kept and kept[0]["ratio"] > best.ratio * WORTHWHILE:
        return f"batches of {kept[0]['times']} times the rows: {kept[0]['ratio']:.3g} times as many rows a second"
    if objective == "memory":
        return "the winners take the least memory of those that are right"
    proven = best.low is not None and best.low > WORTHWHILE
    if not proven:
        return "do not bother: nothing that is right beats the plain run by more than the margin here"
    first = answer.winners[0]
    pays = f", which pays after {first.pays_after_calls:,.0f} calls" if first.pays_after_calls else ""
    return f"use the first winner: {first.ratio:.3g} times as fast as the plain run{pays}"
