"""Who won what: of every model and stage the largest batch, each device at its best against the CPU at its best.

A device is at its best in its plain setup, or in the one that beat the plain one beyond doubt: so nobody is called the
best by luck. Of answers that nobody could verify only the plain setup counts: the fastest may be the emptiest. Rows
that were taken by pairs are judged together (`stats.e_bh`), as on every other part of a report.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import msgspec

from torchstone import stats
from torchstone.records import PLAIN_DTYPE, Measurement, Run
from torchstone.report.contradicting import FAR_APART, FEW_SAMPLES, seconds_seen
from torchstone.report.doubting import is_unwaited
from torchstone.report.formatting import count_words, format_number
from torchstone.report.kept import kept_steps, step_of
from torchstone.report.lost import without_lost
from torchstone.report.names import Work, batch_of, call_of, differences, is_unverified, work_of
from torchstone.report.speedups import Speedup, group_rivals, own_dtype, plain_of, times_as_fast
from torchstone.report.trusting import busy_words

STEPS = ("time", "step time")
"""Quantities that a batch's time is recorded as; a latency is another matter."""

ENGINES = ("engines",)
"""What the name says of a contest of setups that take long to prepare."""


@dataclass(frozen=True)
class Contest:
    """The rivals of one piece of work, those that gave right answers."""

    work: Work
    rivals: tuple[Measurement, ...]
    elsewhere: tuple[Measurement, ...] = ()
    """All that the run holds of this work, for what contradicts a rate."""
    is_busy: bool = False
    is_kept: bool = False
    """Whether its answers may have been kept from an earlier call."""
    engines: "Contest | None" = None
    """The same work once more, with the setups that take long to prepare."""

    @property
    def own_dtype(self) -> str:
        """That in which the model came."""
        return own_dtype(one.setup for one in self.rivals)

    def rates_of(self, one: Measurement) -> "Rates":
        """Items a second, or what the run saw of them where it contradicts itself."""
        rate, seen = rate_of(one), seconds_seen(one, self.elsewhere, self.is_busy)
        items = items_of(one)
        return Rates(None, (items / seen[1], items / seen[0])) if seen and items else Rates(rate)

    def on(self, device: str) -> list[Measurement]:
        return [one for one in self.rivals if one.setup.device == device]

    @property
    def is_verified(self) -> bool:
        """Whether the answers are known to be right and computed: else the fastest may be the emptiest."""
        return not self.is_kept and not any(map(is_unverified, self.rivals))

    def best_on(self, device: str) -> Measurement | None:
        """The plain setup, or the fastest of those that beat it beyond doubt, here or where engines were raced."""
        best = self._best_here(device)
        other = self.engines._best_here(device) if self.engines and self.is_verified else None
        if self.engines is None or best is None or other is None:
            return best
        return other if self.engines.gain_of(other) > self.gain_of(best) else best

    def gain_of(self, one: Measurement) -> float:
        """Times as fast as the plain setup of its device that ran beside it."""
        plain = plain_of(self.rivals, one.setup.device)
        return 1.0 if plain is None or plain is one else times_as_fast(plain, one).ratio

    def beside(self, one: Measurement, wanted: Measurement) -> Measurement:
        """`wanted` as it was measured in the contest of `one`, that the two are a pair; itself where it was not."""
        known = (*self.rivals, *(self.engines.rivals if self.engines else ()))
        same = (each for each in known if each.setup == wanted.setup and each.contest == one.contest)
        return wanted if wanted.contest == one.contest else next(same, wanted)

    def _best_here(self, device: str) -> Measurement | None:
        own = self.on(device)
        plain = plain_of(own, device)
        if plain is not None and not self.is_verified:
            return plain
        if plain is None:
            return min(own, key=lambda one: median(one.samples), default=None)
        beaten = [(times_as_fast(plain, one), one) for one in own if one is not plain]
        winners = [(found.ratio, one) for found, one in beaten if found.verdict == "faster"]
        return max(winners, key=lambda pair: pair[0])[1] if winners else plain


@dataclass(frozen=True)
class Rates:
    """Items a second; where the run contradicts itself by far, the lowest and the highest that it saw and no rate."""

    rate: float | None
    seen: tuple[float, float] | None = None

    @property
    def short_words(self) -> str:
        """`500/s`, `500–480 k/s`; empty where nothing is known."""
        known = self.seen or ((self.rate,) if self.rate else ())
        return f"{'–'.join(map(format_number, known))}/s" if known else ""

    @property
    def words(self) -> str:
        """`500`, `between 500 and 480 k`."""
        if self.seen:
            return "between {} and {}".format(*map(format_number, self.seen))
        return format_number(self.rate) if self.rate else ""


@dataclass(frozen=True)
class Bar:
    """One device at its best against the CPU at its best, at one piece of work."""

    model: str
    stage: str
    batch: int | None
    device: str
    how: str
    """What its setup differs in from the plain one; empty where in nothing."""
    against: str
    """The same of the CPU's."""
    times: float
    low: float | None
    high: float | None
    verdict: stats.Verdict
    times_plain: float | None
    """Its plain setup against the plain CPU: the bar of the post of 2022."""
    rate: float | None
    cpu_rate: float | None
    item: str
    seconds: float
    cpu_seconds: float
    plain_dtype: str = PLAIN_DTYPE
    """That in which the model came."""
    rates_seen: tuple[float, float] | None = None
    """The lowest and the highest, where the run contradicts itself by far; then there is no rate."""
    cpu_rates_seen: tuple[float, float] | None = None
    unwaited_times: float | None = None
    """What the bar would have been had nobody waited for the device, as in 2022."""
    e_value: float | None = None

    @property
    def rates(self) -> Rates:
        return Rates(self.rate, self.rates_seen)

    @property
    def cpu_rates(self) -> Rates:
        return Rates(self.cpu_rate, self.cpu_rates_seen)

    @property
    def is_decided(self) -> bool:
        return self.verdict in ("faster", "slower")

    @property
    def is_settled(self) -> bool:
        """Decided, if only as equal."""
        return self.verdict != "unclear"


def contests_of(run: Run) -> list[Contest]:
    """Every work; whoever was taken out of a contest stands beside it with the calls that it made. What broke in
    another case is no rival."""
    measurements = run.measurements
    is_busy = bool(busy_words(run))
    steps: dict[Work, list[Measurement]] = {}
    for one in measurements:
        call = call_of(one.name)
        if call is not None:
            steps.setdefault(call, []).append(one)
    same_call: dict[Work | None, tuple[Measurement, ...]] = {call: tuple(group) for call, group in steps.items()}
    kept = kept_steps(measurements)
    found = [
        replace(
            one,
            elsewhere=same_call.get(call_of(one.rivals[0].name), ()),
            is_busy=is_busy,
            is_kept=step_of(one.work) in kept,
        )
        for one in _every_work(without_lost(measurements))
    ]
    return _with_engines([_without_waiting(one) for one in found] if is_busy else found)


def _with_engines(contests: Sequence[Contest]) -> list[Contest]:
    """A device is at its best whichever contest its best setup was raced in."""
    apart = {(one.work.model, one.work.batch): one for one in contests if one.work.special == ENGINES}
    return [
        replace(one, engines=apart.get((one.work.model, one.work.batch)))
        if is_simple(one.work) and one.work.experiment == "inference"
        else one
        for one in contests
    ]


def _without_waiting(contest: Contest) -> Contest:
    """Beside other programs a call of all threads waits for the one that was put off. Fewer threads win by that, and so
    does a setup whose kernels happen to use one: neither says anything of the machine. Who beats the plain setup on
    fewer threads as well stays."""
    plain = plain_of(contest.rivals)
    if plain is None:
        return contest
    on_fewer = [one for one in contest.rivals if _differs_in_threads(one, plain)]
    controls = [
        one for one in on_fewer if msgspec.structs.replace(one.setup, threads=plain.setup.threads) == plain.setup
    ]
    kept = [
        one
        for one in contest.rivals
        if one is plain
        or one.setup.device != "cpu"
        or (one not in on_fewer and all(times_as_fast(other, one).verdict == "faster" for other in controls))
    ]
    return replace(contest, rivals=tuple(kept))


def _differs_in_threads(one: Measurement, plain: Measurement) -> bool:
    return one.setup.device == "cpu" and one.setup.threads != plain.setup.threads


def _every_work(measurements: Iterable[Measurement]) -> list[Contest]:
    merged: dict[tuple[str, str, str], list[Measurement]] = {}
    groups = group_rivals(one for one in measurements if one.quantity in STEPS and not is_unwaited(one))
    for group in sorted(groups, key=lambda group: group[0].contest is None):
        key = (group[0].name, group[0].quantity, group[0].protocol)
        merged.setdefault(key, []).extend(group)
    return [Contest(_work_at_its_batch(group), tuple(group)) for group in merged.values()]


def _work_at_its_batch(group: Sequence[Measurement]) -> Work:
    """The name of a person's own model does not say the batch that it brought; its records do."""
    work = work_of(group[0].name)
    batches = {batch_of(one) for one in group}
    return replace(work, batch=batches.pop()) if work.batch is None and len(batches) == 1 else work


def is_simple(work: Work) -> bool:
    """A step of a model, and not a search for a batch or a part of it."""
    return work.stage != "" and not work.special and work.experiment in ("training", "inference")


def bars_of(contests: Sequence[Contest], device: str) -> list[Bar]:
    """The largest batch of every model and stage at which this device and the CPU were measured."""
    found: dict[tuple[str, str], tuple[Contest, Bar]] = {}
    for contest in contests:
        bar = _bar(contest, device) if is_simple(contest.work) else None
        if bar is None:
            continue
        key = (bar.model, bar.stage)
        if key not in found or _is_better(contest.work, found[key][0].work):
            found[key] = (contest, bar)
    return [bar for _, bar in found.values()]


def declared(bars: Sequence[Bar], rows: Sequence[Speedup]) -> list[Bar]:
    """Judged together with all rows of the run: what its many neighbours may have given by chance is unclear."""
    others = [row.e_value for row in rows if row.e_value is not None]
    own = [bar.e_value for bar in bars if bar.e_value is not None]
    backed = iter(stats.e_bh([*own, *others])[: len(own)])
    kept = [bar.e_value is None or next(backed) or not bar.is_decided for bar in bars]
    return [bar if keep else replace(bar, verdict="unclear") for bar, keep in zip(bars, kept, strict=True)]


def _is_better(work: Work, than: Work) -> bool:
    """The post's own bars before those of the models answering; then the larger batch."""
    return (work.experiment == "training", work.batch or 0) > (than.experiment == "training", than.batch or 0)


def bars_by_batch(contests: Sequence[Contest], device: str) -> list[Bar]:
    """Every batch of every model and stage once, with the searches for the batch from which it pays: these know the
    plain setups alone, and give way to a contest of all."""
    wanted = [one for one in contests if one.work.batch is not None]
    chosen = [one for one in wanted if is_simple(one.work) or one.work.special == ("crossover",)]
    found: dict[tuple[str, str, int | None], Bar] = {}
    for contest in sorted(chosen, key=lambda one: (is_simple(one.work), one.work.experiment == "training")):
        bar = _bar(contest, device)
        if bar is not None:
            found[bar.model, bar.stage, bar.batch] = bar
    return list(found.values())


def _bar(contest: Contest, device: str) -> Bar | None:
    """The CPU against itself is the plain one's gain."""
    own, cpu = contest.best_on(device), plain_of(contest.rivals) if device == "cpu" else contest.best_on("cpu")
    if own is None or cpu is None:
        return None
    plain, plain_cpu = plain_of(contest.rivals, device), plain_of(contest.rivals)
    own = contest.beside(cpu, own)
    cpu = contest.beside(own, cpu)
    found = _same(own) if own is cpu else times_as_fast(cpu, own)
    rates, cpu_rates = contest.rates_of(own), contest.rates_of(cpu)
    return Bar(
        model=contest.work.model_words,
        stage=contest.work.stage or "evaluation",
        batch=contest.work.batch,
        device=device,
        how=", ".join([*differences(own.setup, contest.own_dtype), *thread_words(own, plain)]),
        against=", ".join(differences(cpu.setup, contest.own_dtype)),
        times=found.ratio,
        low=found.low,
        high=found.high,
        verdict=found.verdict,
        times_plain=times_as_fast(plain_cpu, plain).ratio if plain and plain_cpu and plain is not plain_cpu else None,
        rate=rates.rate,
        cpu_rate=cpu_rates.rate,
        item=str(own.facts.get("item") or "items"),
        seconds=found.seconds,
        cpu_seconds=found.baseline_s,
        plain_dtype=contest.own_dtype,
        rates_seen=rates.seen,
        cpu_rates_seen=cpu_rates.seen,
        unwaited_times=_unwaited(cpu, own),
        e_value=found.e_value,
    )


def thread_words(own: Measurement, plain: Measurement | None) -> list[str]:
    """Of a CPU setup that uses another number of them than the plain one."""
    if plain is None or own.setup.device != "cpu" or own.setup.threads == plain.setup.threads:
        return []
    return [count_words(own.setup.threads or 1, "thread")]


def _same(one: Measurement) -> Speedup:
    middle = median(one.samples)
    return Speedup(one.name, one.setup, 1.0, 1.0, 1.0, middle, middle, "same")


def _unwaited(cpu: Measurement, own: Measurement) -> float | None:
    samples = own.audit.get("none", ())
    return median(cpu.samples) / median(samples) if samples and median(samples) > 0 else None


def rate_of(one: Measurement) -> float | None:
    """Items a second, where the record says how many items a sample is. So few samples that lie so far apart tell none:
    on a starved machine two have been a hundred times apart."""
    items, middle = items_of(one), median(one.samples)
    if items is None or middle <= 0:
        return None
    if len(one.samples) < FEW_SAMPLES and max(one.samples) > FAR_APART * min(one.samples):
        return None
    return items / middle


def items_of(one: Measurement) -> float | None:
    items = one.facts.get("items")
    return None if isinstance(items, bool) or not isinstance(items, int | float) else float(items)
