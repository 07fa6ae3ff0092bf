"""Models answering: images or tokens a second, latency, memory and energy.

ResNet50, VGG16, AlexNet, EfficientNet-Lite0 (pre-trained), ViT-B, BERT-base, and GPT-2 small generating with a
key/value cache, where reading the prompt (bound by arithmetic) stands apart from writing (bound by memory bandwidth).
Or your own: --model TARGET.

Each is timed plainly (eager float32) in growing batches, then in the setups that may be faster here: narrower dtypes,
channels last, torch.compile, one thread against all. One model is also timed call by call: hot (back to back), paced
(with idle gaps, as a service with few requests sees it) and sustained. Every output is compared with the CPU's float64
answer during and after the timed loop; a fast wrong answer is reported as wrong. On an accelerator the batch from
which it beats the CPU is looked for. A small budget runs the first few of these; --budget 3600 runs all.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from torchstone.configurations import PLAIN, Configuration, setup_of, worth_trying
from torchstone.experiments import Case, Plan, Record
from torchstone.records import Measurement
from torchstone.trials.affording import Allowance, skipped
from torchstone.trials.crossing import find_crossover
from torchstone.trials.generating import measure_generation
from torchstone.trials.inferring import Attempt, measure_latencies, measure_speed, prepared
from torchstone.trials.observing import observe_each
from torchstone.trials.subjects import SMALL_MODEL, Subject, label, load_or_explain

WEIGHT = 2.0
OPTIONS: tuple[str, ...] = ()
QUICK_MODEL = "efficientnet_lite0"
CLASSIC_MODEL = "resnet50"
TEXT_GENERATOR = "gpt2_small"
SECONDS = {
    "efficientnet_lite0": 2.5,
    "resnet50": 3.0,
    "alexnet": 4.0,
    "vgg16": 9.0,
    "bert_base": 12.0,
    "vit_b": 12.0,
    "gpt2_small": 20.0,
}
"""What a first look at batch 1 takes on two cores, building the model and its float64 answer included."""
BATCHES = (1, 8, 32, 128)
CROSSOVER_BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
SMALL_SECONDS = 1.5
"""For the small network, which comes first where there are several devices: a slow one can do that much."""
OWN_SECONDS = 5.0
"""For a first look at a person's own model, of which nothing is known."""
COMPILE_SHARE = 0.25
"""Of the whole budget, at most, for one compilation."""
ENOUGH = 2.0
"""Times the seconds of a first look are enough for a quick model."""
FIRST_SHARE = 0.35
"""Of the whole budget, for the most telling case where a device is slow."""
LOST = 0.1
"""Seconds of a case that only says why it is not done."""
TEXT_MODELS = ("bert_base", "gpt2_small")


def cases(plan: Plan) -> Iterator[Case]:
    """The most telling first; those that can end the process last, and always."""
    steps, last = _own_steps(plan) if plan.model is not None else _zoo_steps(plan)
    left_s = plan.budget_s - sum(step.weight for step in last)
    if plan.beside_others and plan.model is None:
        yield _Asked(plan).for_first_look(SMALL_MODEL)
        left_s -= seconds_for(SMALL_MODEL, 1)
    for position, step in enumerate(steps):
        left_s -= step.weight if position > 0 else seconds_for(plan.model or QUICK_MODEL, 1)
        if position > 0 and left_s < 0:
            break
        yield step
    yield from last


def _zoo_steps(plan: Plan) -> tuple[list[Case], list[Case]]:
    ask = _Asked(plan)
    safe, last = ask.for_other_setups(QUICK_MODEL, 1)
    rest = [name for name in SECONDS if name not in (QUICK_MODEL, CLASSIC_MODEL, TEXT_GENERATOR)]
    steps = [
        ask.for_first_look(QUICK_MODEL),
        ask.for_speed(CLASSIC_MODEL, 1),
        *safe,
        ask.for_speed(QUICK_MODEL, 8),
        ask.for_latency(QUICK_MODEL),
        *ask.for_crossover(QUICK_MODEL),
        ask.for_generation(),
        *(ask.for_speed(name, 1) for name in rest),
        *_deep_steps(ask),
    ]
    return steps, last


def _deep_steps(ask: "_Asked") -> Iterator[Case]:
    """Larger batches of every model, and the other setups of the classic one."""
    for batch in BATCHES[1:]:
        names = [name for name in SECONDS if name != TEXT_GENERATOR and (name, batch) != (QUICK_MODEL, 8)]
        yield from (ask.for_speed(name, batch) for name in names)
        yield from ask.for_other_setups(CLASSIC_MODEL, batch)[0]
    yield ask.for_latency(CLASSIC_MODEL)
    yield from ask.for_crossover(CLASSIC_MODEL)


def _own_steps(plan: Plan) -> tuple[list[Case], list[Case]]:
    ask, model = _Asked(plan), plan.model or ""
    safe, last = ask.for_other_setups(model, 1)
    larger = BATCHES[1:] if model.startswith("zoo:") else ()
    steps = [
        ask.for_first_look(model),
        ask.for_latency(model),
        *safe,
        *(ask.for_speed(model, batch) for batch in larger),
    ]
    return steps, last


def name_of(model: str, batch: int) -> str:
    """A person's own model brings its own batch, so its name does not say one."""
    if ":" in model and not model.startswith("zoo:"):
        return f"inference/{label(model)}"
    return f"inference/{model.removeprefix('zoo:')}/batch={batch}"


def seconds_for(model: str, batch: int) -> float:
    """What a first look takes: a row more costs a small part of building the model and its reference."""
    alone = SMALL_SECONDS if model == SMALL_MODEL else SECONDS.get(model.removeprefix("zoo:"), OWN_SECONDS)
    return alone * (1.0 + (batch - 1) / 16.0)


@dataclass(frozen=True)
class _Asked:
    """Makes the cases of one plan."""

    plan: Plan

    def for_speed(self, model: str, batch: int, configuration: Configuration = PLAIN) -> Case:
        run = partial(run_speed, self.plan.device.id, model, self.plan.input_shape, batch, configuration)
        setup = setup_of(configuration, self.plan.device.id)
        return Case(name_of(model, batch), run, self._seconds(model, batch, configuration), setup)

    def for_first_look(self, model: str) -> Case:
        """Much time in case the device is slow; what a quick one does not need goes to the cases after it."""
        case = self.for_speed(model, 1)
        return replace(case, weight=max(case.weight, FIRST_SHARE * self.plan.budget_s))

    def for_latency(self, model: str) -> Case:
        run = partial(run_latency, self.plan.device.id, model, self.plan.input_shape)
        return Case(f"{name_of(model, 1)}/latency=hot", run, 2 * seconds_for(model, 1))

    def for_other_setups(self, model: str, batch: int) -> tuple[list[Case], list[Case]]:
        """Those that are safe, and apart from them those that can end the process."""
        images = ":" in model or model not in TEXT_MODELS
        others = worth_trying(self.plan.device, images)
        safe = [other for other in others if other.dtype != "bfloat16"]
        risky = [other for other in others if other.dtype == "bfloat16"]
        return [self.for_speed(model, batch, one) for one in safe], [self.for_speed(model, batch, one) for one in risky]

    def for_crossover(self, model: str) -> list[Case]:
        """None on the CPU, which has nothing to cross."""
        if self.plan.device.kind == "cpu":
            return []
        run = partial(run_crossover, self.plan.device.id, model)
        return [Case(f"inference/{model}/crossover", run, 4 * seconds_for(model, 1))]

    def for_generation(self) -> Case:
        run = partial(run_generation, self.plan.device.id)
        return Case(f"inference/{TEXT_GENERATOR}/decode/batch=1", run, SECONDS[TEXT_GENERATOR])

    def _seconds(self, model: str, batch: int, configuration: Configuration) -> float:
        needed = configuration.needs_s
        if needed == 0:
            return seconds_for(model, batch)
        return 1.2 * needed if needed < COMPILE_SHARE * self.plan.budget_s else LOST


def run_speed(
    device_id: str, model: str, input_shape: str | None, batch: int, configuration: Configuration, budget_s: float
) -> Iterator[Record]:
    """Time, memory and energy of one model in one batch and one setup."""
    name = name_of(model, batch)
    if budget_s < configuration.needs_s:
        reason = (
            f"{configuration.engine} needs {configuration.needs_s:.0f} s, {budget_s:.2g} s are granted: more --budget"
        )
        yield skipped(name, setup_of(configuration, device_id), reason)
        return
    measure = partial(measure_speed, enough_s=ENOUGH * seconds_for(model, batch))
    records = _attempted(measure, device_id, model, input_shape, batch, configuration, budget_s)
    yield from observe_each(records, configuration)


def run_latency(device_id: str, model: str, input_shape: str | None, budget_s: float) -> Iterator[Record]:
    """Hot, paced and sustained latency at batch 1."""
    records = _attempted(measure_latencies, device_id, model, input_shape, 1, PLAIN, budget_s)
    yield from observe_each(records, PLAIN)


def run_generation(device_id: str, budget_s: float) -> Iterator[Record]:
    """Tokens a second: the prompt read, and one more token written."""
    allowance = Allowance(budget_s)
    yield from observe_each(_with_subject(TEXT_GENERATOR, None, device_id, measure_generation, allowance), PLAIN)


def run_crossover(device_id: str, model: str, budget_s: float) -> Iterator[Record]:
    """The batch from which the device beats the CPU."""
    allowance = Allowance(budget_s)
    yield from observe_each(_with_subject(model, None, device_id, find_crossover, allowance), PLAIN)


def _with_subject(
    model: str,
    input_shape: str | None,
    device_id: str,
    measure: Callable[[Subject, str, Allowance], Iterable[Record]],
    allowance: Allowance,
) -> Iterator[Record]:
    subject = load_or_explain(model, input_shape)
    if isinstance(subject, str):
        yield skipped(name_of(model, 1), setup_of(PLAIN, device_id), subject)
    else:
        yield from measure(subject, device_id, allowance)


def _attempted(
    measure: Callable[[Attempt, Allowance], Iterable[Measurement]],
    device_id: str,
    model: str,
    input_shape: str | None,
    batch: int,
    configuration: Configuration,
    budget_s: float,
) -> Iterator[Record]:
    """Load, place, measure; or the record that says where this ended."""
    allowance = Allowance(budget_s)

    def attempt_it(subject: Subject, device_id: str, allowance: Allowance) -> Iterator[Record]:
        attempt = prepared(subject, batch, configuration, device_id, name_of(model, batch), allowance)
        if isinstance(attempt, Measurement):
            yield attempt
        else:
            yield from measure(attempt, allowance)

    yield from _with_subject(model, input_shape, device_id, attempt_it, allowance)
