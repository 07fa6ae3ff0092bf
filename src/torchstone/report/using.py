"""What to use: which device, from which batch, which dtype, which setup, and how to read images; a sentence each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone.records import AS_IT_IS, PLAIN_DTYPE, Measurement, Run
from torchstone.report.batches import batch_sentence, first_batch, lines_of, wins_at
from torchstone.report.fastest import beside_words, best_way, road_words
from torchstone.report.formatting import short_times, span_words
from torchstone.report.headlines import VERBS, Standing
from torchstone.report.holes import Hole, fault_words, holes_of
from torchstone.report.names import TRAINING, differences, model_words
from torchstone.report.narrowing import dtype_sentence
from torchstone.report.speedups import own_dtype, plain_of, times_as_fast
from torchstone.report.standings import Bar, Contest, thread_words

MOST_EXCEPTIONS = 2
"""Named after the device; the bars show the others."""


@dataclass(frozen=True)
class Use:
    """What to use, in sentences; one that nothing was measured for is empty."""

    device: str
    batch: str
    dtype: str
    setup: str
    images: str
    training_device: str | None
    """The device to train on, by its id; None where no training was measured."""
    from_batch: int | None
    """The batch from which the device wins; None where it was not found or there is no device."""
    wins_at: str = ""
    """Where it wins at some batches alone and all models agree: `up to batch 8`."""

    @property
    def sentences(self) -> list[str]:
        return [part for part in (self.device, self.batch, self.dtype, self.setup, self.images) if part]


def advise(
    run: Run,
    contests: Sequence[Contest],
    shown: Standing,
    cpu: Standing,
) -> Use:
    """For the device that the headline is about."""
    trains_there = shown is not cpu and _is_better(shown.decided(TRAINING) or shown.decided())
    device = shown.device if trains_there or (shown is not cpu and shown.is_faster) else "cpu"
    lines = lines_of(shown.batches, shown.holes) if shown is not cpu else []
    return Use(
        device=_device_sentence(shown, cpu, holes_of(run)),
        batch=batch_sentence(run, shown.device, lines) if shown is not cpu else "",
        dtype=dtype_sentence(run, contests, device),
        setup=_setup_sentence(contests, device),
        images=_images_sentence(run),
        training_device=_training_device(shown, cpu),
        from_batch=first_batch(run, shown.device, lines) if shown is not cpu else None,
        wins_at=wins_at(lines),
    )


def _training_device(shown: Standing, cpu: Standing) -> str | None:
    if not any(bar.stage == TRAINING for bar in (*shown.bars, *cpu.bars)):
        return None
    return shown.device if shown is not cpu and _is_better(shown.decided(TRAINING)) else "cpu"


def _device_sentence(shown: Standing, cpu: Standing, holes: Sequence[Hole]) -> str:
    """By stage: a device may train fast and evaluate slowly; with the models for which it is the other way round."""
    if shown is cpu and cpu.bars:
        others = dict.fromkeys(one.device for one in holes if one.device != "cpu")
        faults = [f"{device} {words}" for device in others if (words := fault_words(holes, device))]
        return f"The CPU: {'; '.join(faults) or 'it is all that was measured'}."
    if shown is cpu:
        return ""
    better = {stage: _is_better(bars) for stage in VERBS if (bars := shown.decided(stage))}
    equal = [stage for stage in VERBS if shown.settled(stage) and stage not in better]
    if not better and not equal:
        return "The CPU, until the difference is decided."
    if not better:
        return f"The CPU or {shown.device}: they are as fast for {' and '.join(equal)}."
    exceptions = _exceptions(shown, better)
    good, bad = ([stage for stage, is_good in better.items() if is_good is wanted] for wanted in (True, False))
    if not bad:
        return f"{shown.device} for {' and '.join(good)}.{exceptions}"
    if not good and not exceptions:
        return f"The CPU, not {shown.device}."
    for_good = f"{shown.device} for {' and '.join(good)}, the" if good else "The"
    return f"{for_good} CPU for {' and '.join(bad)}.{exceptions}"


def _is_better(bars: Sequence[Bar]) -> bool:
    return sum(bar.verdict == "faster" for bar in bars) * 2 > len(bars)


def _exceptions(shown: Standing, better: dict[str, bool]) -> str:
    """The models and batches for which the other place is the right one, the clearest first; and wrong answers."""
    found = [bar for bar in shown.decided() if (bar.verdict == "faster") is not better.get(bar.stage, True)]
    found += [won for stage, is_better in better.items() if not is_better and (won := shown.wins_elsewhere(stage))]
    told = [_exception_words(bar) for bar in sorted(found, key=lambda bar: -abs(math.log(bar.times)))]
    more = f"; and {len(told) - MOST_EXCEPTIONS} more" if len(told) > MOST_EXCEPTIONS else ""
    but = f" But {'; '.join(told[:MOST_EXCEPTIONS])}{more}." if told else ""
    faults = fault_words(shown.holes, shown.device)
    return but + (f" But {shown.device} {faults}." if faults and any(better.values()) else "")


def _exception_words(bar: Bar) -> str:
    where = f"{bar.model} {bar.stage}" + (f" at batch {bar.batch}" if bar.batch is not None else "")
    if bar.verdict == "faster":
        return f"{bar.device} for {where}: {short_times(bar.times)} times as fast there"
    return f"the CPU for {where}: {short_times(1 / bar.times)} times slower on {bar.device}"


def _setup_sentence(contests: Sequence[Contest], device: str) -> str:
    """The change that helps most, dtypes apart, and how often it helped."""
    gains: dict[str, list[tuple[float, str]]] = {}
    for contest in contests:
        plain = plain_of(contest.rivals, device)
        for one in contest.on(device) if plain is not None else ():
            words = _change(one, plain)
            is_step = contest.work.experiment in ("training", "inference") and contest.is_verified
            if plain is None or not words or not is_step:
                continue
            found = times_as_fast(plain, one)
            if found.verdict == "faster":
                gains.setdefault(words, []).append((found.ratio, contest.work.model_words))
    if not gains:
        return ""
    words, found_gains = max(gains.items(), key=lambda pair: median(times for times, _ in pair[1]))
    times = [one for one, _ in found_gains]
    models = ", ".join(list(dict.fromkeys(model for _, model in found_gains))[:3])
    return f"{words} on {device}: {span_words(min(times), max(times))} times as fast as plain ({models})."


def _change(one: Measurement, plain: Measurement | None) -> str:
    """An engine, an order of memory, threads or an option in the model's own dtype; empty where that differs too."""
    own = own_dtype(() if plain is None else (plain.setup,))
    if (one.setup.dtype or PLAIN_DTYPE) != own or one.setup.precision != AS_IT_IS:
        return ""
    return ", ".join([*differences(one.setup, own), *thread_words(one, plain)])


def _images_sentence(run: Run) -> str:
    """The fastest right way from a file or from pixels to a tensor."""
    found = best_way(run.findings, run.measurements)
    if found is None:
        return ""
    rate = found.facts.get("rate")
    speed = f", {rate:,.0f} images a second" if isinstance(rate, int | float) else ""
    what = road_words(found)
    return f"{what[:1].upper()}{what[1:]}: {model_words(str(found.facts['fastest']))}{beside_words(found)}{speed}."
