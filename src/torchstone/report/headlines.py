"""The one sentence that a person comes for, computed from what was decided and never saying more than that."""

from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.records import Measurement, Run
from torchstone.report.fastest import best_way, headline_words
from torchstone.report.formatting import count_words, short_times, span_words
from torchstone.report.holes import Hole, fault_words
from torchstone.report.live import group_words
from torchstone.report.loads import Load
from torchstone.report.lost import without_lost
from torchstone.report.names import EVALUATION, TRAINING
from torchstone.report.speedups import OTHER_QUALITY
from torchstone.report.standings import Bar
from torchstone.report.trusting import busy_words

VERBS = {TRAINING: ("trains", "train"), EVALUATION: ("evaluates", "evaluate")}
OTHER_VERBS = {"reading a prompt": "reads prompts", "writing": "writes"}
"""Of a run that holds nothing else."""
MOST_EXPERIMENTS = 2
"""Named in the headline of a run without a model's step."""
CLEARLY_SLOWER = 3.0
"""From here on a device may be called slow after a single call; the words say that it was no more."""


@dataclass(frozen=True)
class Standing:
    """One device's bars against the CPU."""

    device: str
    bars: tuple[Bar, ...]
    """The largest batch of each model and stage."""
    batches: tuple[Bar, ...] = ()
    """All of them."""
    holes: tuple[Hole, ...] = ()
    """Where it gave no right answer."""

    def settled(self, stage: str | None = None) -> list[Bar]:
        """Decided, with those that are as fast."""
        return [bar for bar in self.bars if bar.is_settled and stage in (None, bar.stage)]

    def wins_elsewhere(self, stage: str | None = None) -> Bar | None:
        """Its best at a smaller batch of what it loses at the largest."""
        lost = {(bar.model, bar.stage) for bar in self.decided(stage) if bar.verdict == "slower"}
        won = [bar for bar in self.batches if bar.verdict == "faster" and (bar.model, bar.stage) in lost]
        return max(won, key=lambda bar: bar.times, default=None)

    def decided(self, stage: str | None = None) -> list[Bar]:
        return [bar for bar in self.bars if bar.is_decided and stage in (None, bar.stage)]

    @property
    def is_faster(self) -> bool:
        """On the whole: more of what was decided is faster than slower."""
        decided = self.decided()
        return sum(bar.verdict == "faster" for bar in decided) * 2 > len(decided)


def headline_of(run: Run, standings: Sequence[Standing], cpu: Standing, loads: Sequence[Load] = ()) -> str:
    """Of the device that is worth most; or of the CPU; or that nothing could be decided, and what to do."""
    decided = [one for one in standings if one.settled()]
    if decided:
        best = max(decided, key=lambda one: (one.is_faster, max(bar.times for bar in one.settled())))
        return _device_sentence(best)
    if not _has_rates(without_lost(run.measurements)):
        return _nothing_measured(run)
    if any(one.bars for one in standings):
        return _undecided_device(run, next(one for one in standings if one.bars))
    return _cpu_sentence(run, cpu, standings, loads)


def _device_sentence(standing: Standing) -> str:
    """With the batches that it is about, and where the device gave no right answer."""
    parts = [words for stage in VERBS if (words := _stage_words(standing, stage))[0]]
    parts = parts or [words for stage in OTHER_VERBS if (words := _stage_words(standing, stage))[0]]
    faults = fault_words(standing.holes, standing.device)
    but = f"; but it {faults}" if faults else ""
    is_lost = all(bar.verdict == "slower" for bar in standing.settled())
    if is_lost and standing.wins_elsewhere() is None:
        return f"Leave {standing.device} off: it {_joined(parts)}{but}."
    return f"{standing.device} {_joined(parts)}{but}."


def _joined(parts: Sequence[tuple[str, str, str]]) -> str:
    """What each stage does, at which batches, and where not; what it shares with the first is said once."""
    (first, batches, but), *others = parts
    shorter = [
        part.replace(" than the CPU", "").replace(" as the CPU", "") + ("" if own == batches else own) + elsewhere
        for part, own, elsewhere in others
    ]
    return ", and ".join([first + batches + but, *shorter])


def _stage_words(standing: Standing, stage: str) -> tuple[str, str, str]:
    """`trains 8 to 17 times as fast as the CPU` and ` at batch 8`: the slowest and the fastest of what was decided."""
    bars = sorted(standing.decided(stage), key=lambda bar: bar.times)
    equal = [bar for bar in standing.settled(stage) if not bar.is_decided]
    verb = VERBS[stage][0] if stage in VERBS else OTHER_VERBS[stage]
    batches = _batch_words([*bars, *equal])
    if not bars:
        return (f"{verb} as fast as the CPU" if equal else "", batches, "")
    alike = f" ({', '.join(dict.fromkeys(bar.model for bar in equal[:2]))} as fast)" if equal else ""
    return f"{verb} {_times_words(bars)}{alike}", batches, _elsewhere(standing, stage)


def _times_words(bars: Sequence[Bar]) -> str:
    """Of bars from the slowest to the fastest; where they lie on both sides of the CPU, whose they are."""
    low, high = bars[0], bars[-1]
    if low.times > 1:
        return f"{span_words(low.times, high.times)} times as fast as the CPU"
    if high.times < 1:
        return f"{span_words(1 / high.times, 1 / low.times)} times slower than the CPU"
    slowest, fastest = f"{short_times(1 / low.times)} times slower", f"{short_times(high.times)} times as fast"
    return f"between {slowest} ({low.model}) and {fastest} ({high.model}) as the CPU"


def _batch_words(bars: Sequence[Bar]) -> str:
    """` at batch 8`, ` at batch 8–64`; empty where none is known."""
    found = sorted({bar.batch for bar in bars if bar.batch is not None})
    return "" if not found else f" at batch {found[0]}" + (f"–{found[-1]}" if len(found) > 1 else "")


def _elsewhere(standing: Standing, stage: str) -> str:
    """What a person must not miss who reads that a device is slow: the batch at which it is not."""
    won = standing.wins_elsewhere(stage)
    return f", but {short_times(won.times)} times as fast at batch {won.batch}" if won is not None else ""


def _undecided_device(run: Run, standing: Standing) -> str:
    slowest = [1 / bar.times for bar in standing.bars if bar.low is None and bar.times < 1 / CLEARLY_SLOWER]
    if slowest and len(slowest) == len(standing.bars):
        times = span_words(min(slowest), max(slowest))
        return f"Leave {standing.device} off: single calls took about {times} times as long as the CPU's."
    why = busy_words(run) or "too few samples, or too close to call"
    again = "when it is quiet: --wait-quiet 600" if busy_words(run) else "with a larger --budget"
    return f"Nothing could be decided between {standing.device} and the CPU: {why}. Run again {again}."


def _nothing_measured(run: Run) -> str:
    failed = [one for one in run.measurements if one.status not in ("ok", "skipped")]
    if failed:
        reasons = {one.reason for one in failed if one.reason}
        shared = f": {reasons.pop()}" if len(reasons) == 1 else ""
        found = "here can be relied on" if _has_rates(run.measurements) else "could be measured"
        return f"Nothing {found}: {count_words(len(failed), 'case')} failed{shared}."
    if run.measurements:
        first = run.measurements[0]
        return f"Nothing could be measured: {first.name}: {first.reason or 'no reason is given'}."
    problems = sum(finding.level == "problem" for finding in run.findings)
    if run.findings:
        return f"No speed was measured; {count_words(problems, 'problem')} found."
    return "Nothing was measured."


def _has_rates(measurements: Sequence[Measurement]) -> bool:
    return any(one.status == "ok" and one.samples for one in measurements)


def _cpu_sentence(run: Run, cpu: Standing, others: Sequence[Standing], loads: Sequence[Load]) -> str:
    """What the CPU does in a second, and the setup that helps most."""
    advice = [finding for finding in run.findings if finding.kind == "tune" and finding.level == "ok"]
    if not cpu.bars and advice:
        return f"{advice[-1].subject}: {advice[-1].evidence}."
    if not cpu.bars:
        return _other_experiments(run, loads)
    faults = [f"{one.device} {words}" for one in others if (words := fault_words(one.holes, one.device))]
    found = "Only the CPU could be measured" if others else "No GPU measured"
    found = f"{'; '.join(faults)}; the CPU" if faults else found
    rates = _rate_words(cpu.bars)
    gains = [bar for bar in cpu.decided() if bar.verdict == "faster" and bar.how]
    best = max(gains, key=lambda bar: bar.times, default=None)
    gain = f"; {best.how} makes {best.model} {short_times(best.times)} times as fast" if best else ""
    is_apart = any(bar.rates_seen for bar in cpu.bars)
    why = busy_words(run) or ("the cases of this run contradict each other" if is_apart else "")
    unsure = f"; {why}" if why else ""
    return f"{found}: {rates}{gain}{unsure}."


def _other_experiments(run: Run, loads: Sequence[Load]) -> str:
    """Of a run without a model's step: the fastest way to process images, the figures of the first experiments, the
    rates that are kept, and whether anything leaks."""
    way = best_way(run.findings, run.measurements)
    told = {"leak", *(["load"] if loads else []), *(["images"] if way else [])}
    groups: dict[str, list[Measurement]] = {}
    for one in without_lost(run.measurements):
        experiment = one.name.partition("/")[0]
        if one.status == "ok" and one.samples and experiment not in told and not one.name.endswith(OTHER_QUALITY):
            groups.setdefault(experiment, []).append(one)
    parts = [headline_words(way, run.measurements)] if way else []
    parts += [f"{name}: {group_words(group)}" for name, group in list(groups.items())[:MOST_EXPERIMENTS]]
    parts += [*(one.words for one in loads), *filter(None, [_leak_words(run)])]
    said = "; ".join([*parts, *filter(None, [busy_words(run) if way else ""])])
    return f"{said[:1].upper()}{said[1:]}." if said else "No training or evaluation step was measured."


def _leak_words(run: Run) -> str:
    checked = [finding for finding in run.findings if finding.kind == "leak"]
    leaking = [finding for finding in checked if finding.level == "problem"]
    unclear = sum(finding.level != "ok" for finding in checked) - len(leaking)
    if not checked:
        return ""
    if leaking:
        return f"a leak was found in {len(leaking)} of {count_words(len(checked), 'check')}"
    if unclear:
        return f"whether anything leaks is unclear ({unclear} of {count_words(len(checked), 'check')})"
    return f"no leak was found in {count_words(len(checked), 'check')}"


def _rate_words(bars: Sequence[Bar]) -> str:
    """Of the first model that both learnt and answered, or of whatever there is."""
    models = list(dict.fromkeys(bar.model for bar in bars if bar.rates.words))
    both = [model for model in models if {bar.stage for bar in bars if bar.model == model} >= set(VERBS)]
    model = next(iter(both or models), None)
    if model is None:
        return f"{count_words(len(bars), 'step')} timed"
    own = {bar.stage: bar for bar in bars if bar.model == model and bar.rates.words}
    parts = [f"{VERBS[stage][0]} {own[stage].rates.words}" for stage in VERBS if stage in own]
    item = next(iter(own.values())).item
    return f"{model} {' and '.join(parts)} {item} a second" if parts else f"{model} was timed"
