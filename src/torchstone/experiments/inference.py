"""Models answering: images or tokens a second, latency, memory and energy.

ResNet50, VGG16, AlexNet, EfficientNet-Lite0 (pre-trained), ViT-B, BERT-base, and GPT-2 small generating with a
key/value cache, where reading the prompt (bound by arithmetic) stands apart from writing (bound by memory bandwidth).
Or your own: --model TARGET.

Each model in each batch is one contest: the CPU in plain float32 against the setups that may be faster, on every device
(narrower dtypes, channels last, one thread, other engines). One model is also timed call by call: hot (back to back),
paced (with idle gaps, as a service with few requests sees it) and sustained. Every output is compared with the CPU's
float64 answer during and after the timed loop; a fast wrong answer is reported as wrong. On an accelerator the batch
from which it beats the CPU is looked for; a model of your own is measured in the batch of its inputs alone.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from torchstone import engines
from torchstone.backends import NoEnergyCounter, find_device
from torchstone.contests.answering import answering
from torchstone.contests.generating import generating
from torchstone.contests.race import Race, Ready
from torchstone.correctness import own_dtype
from torchstone.experiments import Plan
from torchstone.measuring.energy import measure_energy
from torchstone.measuring.latency import Pace, measure_latency
from torchstone.measuring.memory import measure_memory
from torchstone.measuring.timing import status_of
from torchstone.models.placing import is_plain, plain_setup
from torchstone.models.subject import Subject, effort_of, is_own, label, load_or_explain
from torchstone.records import Device, Finding, Measurement, Scalar, Setup
from torchstone.scheduling.case import Case, Record, Turn, case

OPTIONS: dict[str, dict[str, str]] = {}
SMALL_MODEL = "convnet"
QUICK_MODEL = "efficientnet_lite0"
TEXT_GENERATOR = "gpt2_small"
QUICK_MODELS = (QUICK_MODEL, "resnet50", "bert_base", "vit_b")
DEEP_MODELS = (*QUICK_MODELS, "alexnet", "vgg16")
DEEP_BATCHES = (8, 32, 128)
CROSSOVER_BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
PACES: tuple[Pace, ...] = ("hot", "paced", "sustained")
CHEAP, DEAR = 0, 2
"""Costs of preparing an engine: those of the quick round, and those with their own contest."""
ENGINES_EFFORT = 6.0
"""Compiling takes half a minute, whatever the model."""
MEMORY_CALLS = 6
"""As long as so many calls takes one whose allocations are followed."""
COMPUTES_ELSEWHERE = (
    "no weight was used in the call: it gave an answer that it had kept, or other threads compute it, which cannot be "
    "counted"
)
ENERGY_SHARE = 0.15
"""Of a turn's seconds, for each device's energy."""


def cases(plan: Plan) -> Iterator[Case]:
    """The most telling first: small on slow devices, each model at batch 1, other engines, then larger batches."""
    ask = _Asked(plan)
    if plan.model is not None:
        yield ask.for_speed(plan.model, 1, rank=0, weight=3.0)
        yield ask.for_latency(plan.model, rank=2)
        yield ask.for_engines(plan.model, rank=3)
        if not is_own(plan.model):
            yield from (ask.for_speed(plan.model, batch, rank=4) for batch in DEEP_BATCHES)
        return
    if plan.others:
        yield ask.for_speed(SMALL_MODEL, 1, rank=0)
    for rank, model in enumerate(QUICK_MODELS):
        yield ask.for_speed(model, 1, rank=rank, weight=2.0 if rank == 0 else 1.5)
    yield ask.for_speed(QUICK_MODEL, 8, rank=1, weight=1.5)
    yield ask.for_generation(rank=1)
    if plan.others:
        yield ask.for_crossover(QUICK_MODEL, rank=2)
    yield ask.for_latency(QUICK_MODEL, rank=4)
    if plan.is_deep or plan.is_asked_for:  # a quick round of all has no half minute to compile in
        yield ask.for_engines(QUICK_MODEL, rank=6)
    if plan.is_deep:
        yield from (ask.for_speed(model, 1, rank=5) for model in DEEP_MODELS if model not in QUICK_MODELS)
        yield from (ask.for_engines(model, rank=7) for model in QUICK_MODELS[1:])
        for batch in DEEP_BATCHES:
            yield from (
                ask.for_speed(model, batch, rank=8) for model in DEEP_MODELS if (model, batch) != (QUICK_MODEL, 8)
            )


def name_of(model: str, batch: int) -> str:
    """A person's own model brings its own batch, so its name does not say one."""
    return f"inference/{label(model)}" if is_own(model) else f"inference/{label(model)}/batch={batch}"


class _Asked:
    """Makes the cases of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def for_speed(self, model: str, batch: int, rank: int, weight: float = 1.0) -> Case:
        run = partial(run_speed, self.plan, batch)
        return self._case(name_of(model, batch), model, run, rank, weight, effort_of(model, batch))

    def for_engines(self, model: str, rank: int) -> Case:
        """Apart from the others: preparing takes tens of seconds."""
        run = partial(run_engines, self.plan)
        return self._case(f"{name_of(model, 1)}/engines", model, run, rank, 3.0, ENGINES_EFFORT)

    def for_latency(self, model: str, rank: int) -> Case:
        run = partial(run_latency, self.plan)
        return self._case(f"{name_of(model, 1)}/latency", model, run, rank, 1.0, effort_of(model))

    def for_generation(self, rank: int) -> Case:
        name = f"inference/{TEXT_GENERATOR}/generation"
        run = partial(run_generation, self.plan)
        return self._case(name, TEXT_GENERATOR, run, rank, 1.5, effort_of(TEXT_GENERATOR))

    def for_crossover(self, model: str, rank: int) -> Case:
        run, middle = partial(run_crossover, self.plan), CROSSOVER_BATCHES[len(CROSSOVER_BATCHES) // 2]
        return self._case(f"inference/{label(model)}/crossover", model, run, rank, 1.5, effort_of(model, middle))

    def _case(
        self,
        name: str,
        model: str,
        run: Callable[[str, Subject, Turn], Iterable[Record]],
        rank: int,
        weight: float,
        effort: float,
    ) -> Case:
        """Load the model, then run."""

        def loaded(turn: Turn) -> Iterator[Record]:
            turn.note(f"loading {label(model)}")
            subject = load_or_explain(model, self.plan.input_shape)
            if isinstance(subject, str):
                yield Measurement(name=name, setup=plain_setup(), unit="s", status="skipped", reason=subject)
            else:
                yield from run(name, subject, turn)

        return case(name, loaded, setup=plain_setup(), rank=rank, weight=weight, effort=effort)


def setups_of(plan: Plan, subject: Subject, least_cost: int, most_cost: int) -> list[Setup]:
    """The CPU's plain one first, then what may be faster, device by device."""
    dtype = own_dtype(subject.model, subject.examples)
    found = [plain_setup(plan.cpu, dtype)]
    for device in plan.devices:
        plain = plain_setup(device, dtype)
        tried = engines.setups_worth_trying(device, subject, plain, least_cost, most_cost)
        found += [plain, *tried]
    return list(dict.fromkeys(found))


def run_speed(plan: Plan, batch: int, name: str, subject: Subject, turn: Turn) -> Iterator[Record]:
    """One contest of all setups; then memory and energy of the plain ones."""
    setups = setups_of(plan, subject, CHEAP, CHEAP)
    race = Race(name, [answering(subject, setup, batch) for setup in setups], turn)
    yield from race.run()
    if turn.earlier:
        return
    for setup, ready in race.ready.items():
        record = race.records[setup]
        is_affordable = bool(record.samples) and MEMORY_CALLS * min(record.samples) <= turn.granted_s
        if is_plain(setup) and record.status == "ok" and setup.threads == setups[0].threads and is_affordable:
            yield _memory(name, subject, batch, setup, ready)
            yield from _energy(name, subject, batch, setup, ready, turn)


def run_engines(plan: Plan, name: str, subject: Subject, turn: Turn) -> Iterator[Record]:
    """The engines that take long to prepare, against the plain CPU."""
    setups = setups_of(plan, subject, DEAR, DEAR)
    plain = [setup for setup in setups if is_plain(setup)]
    dear = [setup for setup in setups if not is_plain(setup)]
    if not dear:
        reason = "no engine that takes long to prepare is here"
        yield Measurement(name=name, setup=plain[0], unit="s", status="skipped", reason=reason)
        return
    yield from Race(name, [answering(subject, setup, 1) for setup in (*plain, *dear)], turn).run()


def run_latency(plan: Plan, name: str, subject: Subject, turn: Turn) -> Iterator[Record]:
    """Hot, paced and sustained latency at batch 1 on every device."""
    alone = name.removesuffix("/latency")
    dtype = own_dtype(subject.model, subject.examples)
    steps = [(device, pace) for device in plan.devices for pace in PACES]
    for position, (device, pace) in enumerate(steps):
        setup = plain_setup(device, dtype)
        turn.begin(setup)
        turn.note(f"{pace} latency")
        yield _latency(f"{alone}/latency={pace}", subject, setup, pace, turn.left_s / (len(steps) - position))


def _latency(name: str, subject: Subject, setup: Setup, pace: Pace, seconds: float) -> Measurement:
    quantity = "latency"
    if seconds <= 0:
        reason = "no time was left of the turn: give more --budget"
        return Measurement(name=name, setup=setup, unit="s", quantity=quantity, status="skipped", reason=reason)
    try:
        ready = answering(subject, setup, 1).prepare()
        if isinstance(ready, str):
            return Measurement(name=name, setup=setup, unit="s", quantity=quantity, status="unsupported", reason=ready)
        found = measure_latency(ready.call, pace, name=name, device=setup.device, setup=setup, budget_s=seconds)
        wrong = ready.check(ready.call()) if ready.check is not None else None
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=setup, unit="s", quantity=quantity, status=status, reason=reason)
    if wrong is not None:
        found = msgspec.structs.replace(found, status="wrong", reason=wrong, samples=())
    return msgspec.structs.replace(found, facts={**ready.facts(), **found.facts})


def run_generation(plan: Plan, name: str, subject: Subject, turn: Turn) -> Iterator[Record]:
    """Tokens a second: the prompt read, and one more token written; a contest each."""
    stages = ("prefill", "decode")
    undecided = False
    for position, stage in enumerate(stages):
        part = turn.part(turn.left_s / (len(stages) - position), turn.earlier)
        setups = [plain_setup(device) for device in plan.devices]
        entrants = [generating(subject, stage, setup) for setup in setups]
        yield from Race(f"inference/{subject.name}/{stage}/batch=1", entrants, part).run()
        undecided = undecided or part.is_undecided
    turn.is_undecided = undecided


def run_crossover(plan: Plan, name: str, subject: Subject, turn: Turn) -> Iterator[Record]:
    """The batch from which each device beats the CPU."""
    for position, device in enumerate(plan.others):
        seconds = turn.left_s / (len(plan.others) - position)
        part = turn.part(seconds)
        yield from _find_crossover(name, subject, device, part)


def _find_crossover(name: str, subject: Subject, device: Device, turn: Turn) -> Iterator[Record]:
    ratios: dict[str, Scalar] = {}
    verdict, ended = "not found", f"up to batch {CROSSOVER_BATCHES[-1]}"
    for position, batch in enumerate(CROSSOVER_BATCHES):
        part = turn.part(turn.left_s / (len(CROSSOVER_BATCHES) - position))
        setups = [plain_setup("cpu"), plain_setup(device)]
        race = Race(f"{name}/batch={batch}", [answering(subject, setup, batch) for setup in setups], part)
        yield from race.run()
        compared = race.compare(setups[0], setups[1])
        if compared is None:
            ended = f"the search ended before batch {batch}: {race.explain(setups[1])}"
            break
        ratios[f"batch={batch}"] = 1.0 / compared.ratio
        if compared.verdict == "faster":
            verdict, ended = f"from batch {batch} on", "it is faster there"
            break
    seen = (
        ", ".join(f"{batch.replace('=', ' ')}: {ratio:.2f}×" for batch, ratio in ratios.items()) or "nothing compared"
    )
    yield Finding(
        kind="crossover",
        subject=name,
        verdict=verdict,
        level="ok" if verdict != "not found" else "note",
        tier="measured",
        evidence=f"{device.id} as fast as the CPU, eager float32: {seen}; {ended}",
        facts={"device": device.id, **ratios},
    )


def _memory(name: str, subject: Subject, batch: int, setup: Setup, ready: Ready) -> Measurement:
    """The peak of one call, weights and activations apart."""
    record = Measurement(name=f"{name}/memory", setup=setup, unit="bytes", quantity="peak memory")
    facts = subject.facts(batch)
    try:
        peak = measure_memory(ready.call, model=ready.model, device=setup.device)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(record, status=status, reason=reason, facts=facts)
    if "weights_bytes" in peak.reasons:
        return msgspec.structs.replace(record, status="skipped", reason=COMPUTES_ELSEWHERE, facts=facts)
    return msgspec.structs.replace(record, samples=(float(peak.peak_bytes),), facts={**facts, **peak.facts()})


def _energy(name: str, subject: Subject, batch: int, setup: Setup, ready: Ready, turn: Turn) -> Iterator[Measurement]:
    """Of a device that has a counter; that it has none is said once, by `devices`."""
    backend, device = find_device(setup.device)
    counter = backend.energy_counter(device.id)
    if isinstance(counter, NoEnergyCounter):
        return
    found = measure_energy(
        ready.call,
        name=f"{name}/energy",
        device=device.id,
        setup=setup,
        budget_s=max(ENERGY_SHARE * turn.seconds, 0.5),
        counter=counter,
    )
    yield msgspec.structs.replace(found, facts={**subject.facts(batch), **found.facts})
