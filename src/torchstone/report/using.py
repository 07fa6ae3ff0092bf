"""What to use: which device, from which batch, which dtype, which setup, and how to read images; a sentence each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from torchstone.records import AS_IT_IS, PLAIN_DTYPE, Finding, Measurement, Run, Setup
from torchstone.report.fastest import beside_words, best_way, road_words
from torchstone.report.formatting import format_value, short_times, span_words
from torchstone.report.headlines import VERBS, Standing
from torchstone.report.names import TRAINING, differences, dtype_words, model_words
from torchstone.report.speedups import own_dtype, plain_of, times_as_fast
from torchstone.report.standings import STEPS, Bar, Contest, thread_words
from torchstone.report.troubles import Trouble


@dataclass(frozen=True)
class Use:
    """What to use, in sentences; one that nothing was measured for is empty."""

    device: str
    batch: str
    dtype: str
    setup: str
    images: str
    training_device: str
    """The device to train on, by its id."""
    from_batch: int | None
    """The batch from which the device wins; None where it was not found or there is no device."""

    @property
    def sentences(self) -> list[str]:
        return [part for part in (self.device, self.batch, self.dtype, self.setup, self.images) if part]


def advise(
    run: Run,
    contests: Sequence[Contest],
    shown: Standing,
    cpu: Standing,
    batches: Sequence[Bar],
    troubles: Sequence[Trouble],
) -> Use:
    """For the device that the headline is about."""
    trains_there = shown is not cpu and _is_better(shown.decided(TRAINING) or shown.decided())
    device = shown.device if trains_there or (shown is not cpu and shown.is_faster) else "cpu"
    from_batch = _first_batch(run, shown.device, batches) if shown is not cpu else None
    return Use(
        device=_device_sentence(shown, cpu),
        batch=_batch_sentence(shown, batches, from_batch) if shown is not cpu else "",
        dtype=_dtype_sentence(contests, device, troubles, _left_out_dtypes(run, contests, device)),
        setup=_setup_sentence(contests, device),
        images=_images_sentence(run),
        training_device=shown.device if trains_there else "cpu",
        from_batch=from_batch,
    )


def _device_sentence(shown: Standing, cpu: Standing) -> str:
    """By stage: a device may train fast and evaluate slowly."""
    if shown is cpu:
        return "The CPU: it is all that was measured." if cpu.bars else ""
    better = {stage: _is_better(bars) for stage in VERBS if (bars := shown.decided(stage))}
    if not better:
        return "The CPU, until the difference is decided."
    if all(better.values()):
        return f"{shown.device} for {' and '.join(better)}.{_exception(shown)}"
    if not any(better.values()):
        return f"The CPU, not {shown.device}."
    good, bad = (next(stage for stage, is_good in better.items() if is_good is wanted) for wanted in (True, False))
    return f"{shown.device} for {good}, the CPU for {bad}."


def _is_better(bars: Sequence[Bar]) -> bool:
    return sum(bar.verdict == "faster" for bar in bars) * 2 > len(bars)


def _exception(shown: Standing) -> str:
    slower = [bar for bar in shown.decided() if bar.verdict == "slower"]
    if not slower:
        return ""
    worst = min(slower, key=lambda bar: bar.times)
    where = f"{worst.model} {worst.stage}" + (f" at batch {worst.batch}" if worst.batch is not None else "")
    return f" But the CPU for {where}: {short_times(1 / worst.times)} times slower on {shown.device}."


def _first_batch(run: Run, device: str, batches: Sequence[Bar]) -> int | None:
    """From the search for it, or from the batches measured: the first from which on every one is faster."""
    searched = [one for one in run.findings if one.kind == "crossover" and one.facts.get("device") == device]
    found = [batch for one in searched if one.level == "ok" and (batch := _last_batch(one)) is not None]
    if found:
        return max(found)
    models: dict[tuple[str, str], list[Bar]] = {}
    for bar in sorted((bar for bar in batches if bar.batch is not None), key=lambda bar: bar.batch or 0):
        models.setdefault((bar.model, bar.stage), []).append(bar)
    several = [bars for bars in models.values() if len({bar.batch for bar in bars}) > 1]
    firsts = [first for bars in several if (first := _first_winning(bars)) is not None]
    return max(firsts) if firsts and len(firsts) == len(several) else None


def _last_batch(finding: Finding) -> int | None:
    """The search ends with the batch at which the device won."""
    batches = [name.removeprefix("batch=") for name in finding.facts if name.startswith("batch=")]
    return int(batches[-1]) if batches and batches[-1].isdigit() else None


def _first_winning(bars: Sequence[Bar]) -> int | None:
    first = None
    for bar in bars:
        if bar.verdict != "faster":
            first = None
        elif first is None:
            first = bar.batch
    return first


def _batch_sentence(shown: Standing, batches: Sequence[Bar], from_batch: int | None) -> str:
    """With what a single item takes, where it was measured."""
    single = min((bar for bar in batches if bar.batch == 1), key=lambda bar: bar.times, default=None)
    if from_batch is None:
        decided = [bar for bar in batches if bar.is_decided and bar.batch is not None]
        if decided and all(bar.verdict == "slower" for bar in decided):
            return f"At no batch up to {max(bar.batch or 0 for bar in decided)} does {shown.device} win."
        return "From which batch on it wins was not decided." if batches else ""
    if from_batch <= 1 or single is None or single.times >= 1:
        return f"{shown.device} from batch {from_batch} on." if from_batch > 1 else f"{shown.device} at every batch."
    times = f"{format_value(single.cpu_seconds, 's')}, on {shown.device} {format_value(single.seconds, 's')}"
    return f"{shown.device} from batch {from_batch} on; the CPU below that (one {single.model} item: {times})."


def _left_out_dtypes(run: Run, contests: Sequence[Contest], device: str) -> set[str]:
    """Other dtypes than a model's own that were timed there and that no contest holds, as the machine was busy."""
    kept = {(one.name, one.setup) for contest in contests for one in contest.rivals}
    own = {one.name: contest.own_dtype for contest in contests for one in contest.rivals}
    timed = [one for one in run.measurements if one.status == "ok" and one.samples and one.quantity in STEPS]
    left_out = [one for one in timed if (one.name, one.setup) not in kept and one.setup.device == device]
    return {dtype_words(one.setup) for one in left_out if one.name in own and _is_cast(one.setup, own[one.name])}


def _is_cast(setup: Setup, own_dtype: str) -> bool:
    """To another dtype than that in which the model came."""
    return (setup.dtype or PLAIN_DTYPE) != own_dtype and setup.engine == "eager"


def _dtype_sentence(
    contests: Sequence[Contest], device: str, troubles: Sequence[Trouble], left_out: Collection[str]
) -> str:
    """The narrower one that is right and faster beyond doubt; else the models' own, and why."""
    gains: dict[str, list[float]] = {}
    tried = set()
    contests = [one for one in contests if one.work.experiment in ("training", "inference") and one.is_verified]
    for contest in contests:
        wide = _best_wide(contest, device)
        for one in contest.on(device):
            if wide is None or not _is_cast(one.setup, contest.own_dtype):
                continue
            found = times_as_fast(wide, one)
            tried.add(dtype_words(one.setup))
            if found.verdict == "faster":
                gains.setdefault(dtype_words(one.setup), []).append(found.ratio)
    own = " or ".join(sorted({one.own_dtype for one in contests if one.on(device)})) or PLAIN_DTYPE
    wrong = sorted({one.dtype for one in troubles if one.kind == "wrong" and one.device == device} - {own})
    caution = f"; {', '.join(wrong)} gives wrong answers" if wrong else ""
    right = {name: times for name, times in gains.items() if name not in wrong}
    if right:
        name, times = max(right.items(), key=lambda pair: median(pair[1]))
        span = span_words(min(times), max(times))
        return f"{name} on {device}: right, {span} times as fast as the best {own}{caution}."
    if tried:
        return f"{own} on {device}: {', '.join(sorted(tried))} is not faster beyond doubt{caution}."
    measured = sorted(set(left_out) - set(wrong))
    if measured:
        return f"{own} on {device}: what {', '.join(measured)} gains is not declared on a busy machine{caution}."
    has_wide = any(_best_wide(contest, device) for contest in contests)
    if wrong:
        return f"{own} on {device}{caution}."
    return f"{own} on {device}: no narrower dtype was measured." if has_wide and own == PLAIN_DTYPE else ""


def _best_wide(contest: Contest, device: str) -> Measurement | None:
    """The model's own dtype at its best without another engine: what a narrower one must beat."""
    own = contest.own_dtype
    wide = [one for one in contest.on(device) if one.setup.engine == "eager" and not _is_cast(one.setup, own)]
    as_it_is = [one for one in wide if one.setup.precision == AS_IT_IS]
    return Contest(contest.work, tuple(as_it_is)).best_on(device)


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
