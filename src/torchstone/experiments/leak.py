"""Leaks: does memory grow with every call, in the allocator, in the driver, or in the process alone?

Every model is called many times with fixed shapes, with varied shapes, and once more with the cache emptied after
each window of calls; the verdict is in bytes per 1,000 calls with its interval. Every call gets inputs of its own, as
requests and batches do, so that a model which keeps them is found out.

The small convolutional network and a model of your own (`--model TARGET`) vary among shapes that come again, so a
cache with an entry for each shape is full before the counting begins (on the CPU oneDNN keeps a thousand kernels).
The small transformer gets a new shape with nearly every call: growth there is growth with each new shape, as
pytorch#132596 has it on MPS; the CPU does not show any.

How many calls are made follows from the budget, and so does how many models are called. Where calls are so slow that
three phases do not fit, fixed shapes come first, and a record says what was left out and how long it would take. With
too few calls for a verdict there is none, and the record says so. What was left out or is unclear gets the seconds that
are left: the case is followed anew with more calls, in this turn or in another one.
"""

import copy
import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import msgspec
import torch
from torch import nn

from torchstone.backends import find_device
from torchstone.contests.answering import explain_wrong
from torchstone.experiments import Plan
from torchstone.measuring.floors import WARM_UP_WINDOWS, NumberedCall
from torchstone.measuring.heap import give_back_free_memory
from torchstone.measuring.leaks import (
    CALLS_PER_WINDOW,
    THRESHOLD_BYTES,
    WINDOWS,
    find_leaks,
)
from torchstone.measuring.memory import read_series
from torchstone.measuring.spelling import spell_number
from torchstone.measuring.timing import complete_setup, status_of
from torchstone.models.batching import repeat_inputs, rows_of
from torchstone.models.inputs import Inputs, move_inputs
from torchstone.models.placing import plain_setup, step_with_threads
from torchstone.models.small import transformer_inputs
from torchstone.models.subject import Subject, label, load_subject
from torchstone.records import Device, Measurement, Setup, Status
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.training.image_step import train_on_anything

OPTIONS: dict[str, dict[str, str]] = {}

Mode = Literal["inference", "training step"]
MODES: tuple[Mode, ...] = ("inference", "training step")
MOST_TIMES = 4
"""A person's model gets 1 to 4 times its rows in the varied phase."""
BATCHES, LENGTHS = 8, 64
"""Of the transformer: 512 shapes before the first one comes again."""
CONVNET_SIDES = 6
"""So many sides and 4 batches make 24 shapes, which the warm-up's 60 calls see at least twice."""
FEWEST_WINDOWS = 8
"""Both halves of a series need four windows each for a slope."""
FEWEST_CALLS = 10
"""In a window. With fewer, one page more or less in the process's footprint looks like a large leak."""
CALLS_FOR_A_VERDICT = (FEWEST_WINDOWS + WARM_UP_WINDOWS) * FEWEST_CALLS
FIXED, EMPTIED, VARIED = "fixed shapes", "after empty-cache", "varied shapes"
"""The phases, the most telling first."""
MOST_CALLS = 20 * CALLS_PER_WINDOW
NOISE_BYTES = 1024 * 1024
"""Growth over a whole series that is no alarm: the process's heap grows and shrinks in steps of hundreds of KiB."""
ZOO = ("efficientnet_lite0", "alexnet", "bert_base", "gpt2_small", "resnet50", "vit_b", "vgg16")
"""The quickest first."""
KEPT_FOR_CALLS = 0.5
"""Of a case's seconds, however long loading the model and building kernels took."""
PROBED_CALLS = 1000
PROBE_S = 0.2
"""Calls are timed so long, or so many: a few short ones do not meet the stalls of a busy machine, and a case that was
sized by them was ended before it had a verdict."""
MORE = 1.5
"""A series is followed anew where it can be so many times as long, or where another phase fits."""
SHARE = 0.8
"""Of the time left: calls that are made in thousands are slower than the few that were timed."""


@dataclass(frozen=True)
class Size:
    """How many calls the budget holds."""

    windows: int
    calls_per_window: int

    @property
    def threshold_bytes(self) -> float:
        """Per 1,000 calls; a short series must grow faster to be told from noise."""
        return max(THRESHOLD_BYTES, 1000.0 * NOISE_BYTES / self.calls)

    @property
    def calls(self) -> int:
        """In a series."""
        return self.windows * self.calls_per_window

    @property
    def is_below_the_most(self) -> bool:
        """Whether a longer series could be had."""
        return self.calls < WINDOWS * MOST_CALLS


@dataclass(frozen=True)
class Workload:
    """A model and the inputs that its calls get, by number where they vary."""

    subject: Subject
    fixed: Callable[[], Inputs]
    varied: Callable[[int], Inputs] | None
    threads: int | None = None
    """None for as many as torch has."""


def cases(plan: Plan) -> Iterator[Case]:
    """The small models first, in both modes; then the zoo's; or the person's own."""
    for device in plan.devices:
        if plan.model is not None:
            load = partial(_loaded, plan.model, plan.input_shape)
            yield from _both_modes(label(plan.model), load, device, 1)
            continue
        transformer, convnet = (
            list(_both_modes(name, load, device, 4))
            for name, load in (("transformer", _transformer), ("convnet", _convnet))
        )
        yield from (transformer[0], convnet[1])
        if plan.is_deep:
            yield from (transformer[1], convnet[0])
            for name in ZOO:
                yield from _both_modes(name, partial(_loaded, name, None), device, 8, weight=4.0)


def _both_modes(
    name: str, load: Callable[[], Workload], device: Device, rank: int, weight: float = 1.0
) -> Iterator[Case]:
    for mode in MODES:
        run = partial(_run, f"leak/{name}/{mode}", load, mode, device)
        setup = plain_setup(device)
        # In a process of its own: what was done before has filled caches, or freed memory that hides a small leak.
        yield case(f"leak/{name}/{mode}", run, setup=setup, rank=rank, weight=weight, is_alone=True)


def _transformer() -> Workload:
    subject = load_subject("transformer")
    # The largest first: where sizes rise, a cache's high-water mark rises with them and looks like a leak.
    return Workload(
        subject,
        partial(repeat_inputs, subject.examples, 1),
        lambda number: transformer_inputs(BATCHES - number % BATCHES, LENGTHS - number // BATCHES % LENGTHS),
        threads=1,
    )


def _convnet() -> Workload:
    subject = load_subject("convnet")
    images = subject.examples.args[0]

    def varied(number: int) -> Inputs:
        cut = 2 * (number // MOST_TIMES % CONVNET_SIDES)
        return repeat_inputs(Inputs((images[..., cut:],), {}), 1 + number % MOST_TIMES)

    return Workload(subject, partial(repeat_inputs, subject.examples, 1), varied, threads=1)


def _loaded(name: str, input_shape: str | None) -> Workload:
    subject = load_subject(name, input_shape)
    varied = None if rows_of(subject.examples) is None else partial(_more_rows, subject.inputs(1))
    return Workload(subject, partial(repeat_inputs, subject.inputs(1), 1), varied)


def _more_rows(inputs: Inputs, number: int) -> Inputs:
    return repeat_inputs(inputs, 1 + number % MOST_TIMES)


def _run(name: str, load: Callable[[], Workload], mode: Mode, device: Device, turn: Turn) -> Iterator[Record]:
    deadline = time.monotonic() + turn.left_s
    workload = load()
    yield from step_with_threads(workload.threads, _check(name, workload, mode, device, deadline, turn))


def _check(name: str, workload: Workload, mode: Mode, device: Device, deadline: float, turn: Turn) -> Iterator[Record]:
    try:
        model = copy.deepcopy(workload.subject.model).to(device.id)
        wrong = explain_wrong(workload.subject, model, device.id)
    except Exception as error:  # the exception is the result
        yield _without(name, device, *status_of(error))
        return
    if wrong is not None:
        yield _without(name, device, "wrong", wrong)
    elif mode == "training step" and not any(parameter.requires_grad for parameter in model.parameters()):
        yield _without(name, device, "skipped", "the model has no parameter to train")
    else:
        give_back_free_memory()
        deadline = max(deadline, time.monotonic() + KEPT_FOR_CALLS * turn.seconds)
        yield from _call_often(name, model, workload, mode, device, deadline, turn)


def _call_often(
    name: str, model: nn.Module, workload: Workload, mode: Mode, device: Device, deadline: float, turn: Turn
) -> Iterator[Record]:
    call = _call(model, lambda _: workload.fixed(), mode, device.id)
    try:
        call(0)
    except Exception as error:  # the exception is the result
        yield _without(name, device, *status_of(error))
        return
    varied = workload.varied and _call(model, workload.varied, mode, device.id)
    reason = _why_not(varied)
    if reason is not None:
        varied = None
        yield _without(f"{name}/varied shapes", device, "skipped", reason)
    followed = _follow_until_clear(Following(name, call, varied, device, deadline))
    turn.is_undecided = followed.is_undecided
    yield from followed.records


def _call(model: nn.Module, inputs: Callable[[int], Inputs], mode: Mode, device_id: str) -> NumberedCall:
    def infer(number: int) -> None:
        with torch.no_grad():
            moved = move_inputs(inputs(number), device_id)
            model(*moved.args, **moved.kwargs)

    def train(number: int) -> None:
        train_on_anything(model, move_inputs(inputs(number), device_id))

    model.train(mode == "training step")
    return infer if mode == "inference" else train


def _why_not(varied: NumberedCall | None) -> str | None:
    """Why shapes can't be varied; None where they can."""
    if varied is None:
        return "the model takes no tensor whose rows could be repeated"
    try:
        for number in range(2):
            varied(number)
    except Exception as error:  # a person's model may refuse other batch sizes with any exception
        return f"the model takes no other number of rows: {status_of(error)[1]}"
    return None


@dataclass(frozen=True)
class Following:
    """A model's calls, to be followed in phases until a deadline."""

    name: str
    call: NumberedCall
    varied: NumberedCall | None
    device: Device
    deadline: float
    now: Callable[[], float] = time.monotonic

    @property
    def wanted(self) -> list[str]:
        return [FIXED, EMPTIED] if self.varied is None else [FIXED, EMPTIED, VARIED]

    @property
    def left_s(self) -> float:
        return (self.deadline - self.now()) * SHARE


@dataclass(frozen=True)
class Followed:
    """What was found, and whether more seconds would tell more."""

    records: tuple[Record, ...]
    is_undecided: bool
    size: Size | None = None
    phases: int = 0


def _follow_until_clear(asked: Following) -> Followed:
    """Follow the calls, and again with more of them while something was left out or is unclear and time is left.

    What was seen first gives way: the later series is longer, and caches that filled in the earlier one are full.
    """
    found = _follow(asked)
    while found.is_undecided and found.size is not None and found.size.is_below_the_most:
        call_s, window_s = _time_phases(asked)
        phases, size = choose_phases(asked.wanted, asked.left_s, call_s, window_s)
        if size is None or not _tells_more(len(phases), size, found):
            break
        found = _follow(asked, (phases, size, call_s, window_s))
    return found


def _tells_more(phases: int, size: Size, than: Followed) -> bool:
    assert than.size is not None
    return phases >= than.phases and (phases > than.phases or size.calls >= MORE * than.size.calls)


def _time_phases(asked: Following) -> tuple[float, float]:
    """Seconds a call, and for reading the memory after a window."""
    call_s = max(_time_calls(one, asked.device) for one in (asked.call, asked.varied or asked.call))
    return call_s, _time_reading(asked.device)


def _follow(asked: Following, chosen: tuple[list[str], Size | None, float, float] | None = None) -> Followed:
    if chosen is None:
        call_s, window_s = _time_phases(asked)
        chosen = (*choose_phases(asked.wanted, asked.left_s, call_s, window_s), call_s, window_s)
    phases, size, call_s, window_s = chosen
    needed_s = needed_for_a_verdict_s(call_s, window_s)
    if size is None:
        reason = (
            f"a call takes {call_s:.3g} s and reading the memory {window_s:.3g} s, so that the {CALLS_FOR_A_VERDICT} "
            f"calls of a verdict take {spell_number(needed_s)} s; there are {spell_number(max(asked.left_s, 0.0))} s "
            f"for it: more --budget"
        )
        return Followed((_left_out(asked, FIXED, reason),), is_undecided=True)
    reason = (
        f"a call takes {call_s:.3g} s, so that this phase would take {spell_number(needed_s)} s more: more --budget"
    )
    records: list[Record] = [_left_out(asked, phase, reason) for phase in asked.wanted[len(phases) :]]
    report = find_leaks(
        asked.call,
        varied=asked.varied if VARIED in phases else None,
        empties=EMPTIED in phases,
        name=asked.name,
        device=asked.device.id,
        windows=size.windows,
        calls_per_window=size.calls_per_window,
        threshold_bytes=size.threshold_bytes,
    )
    for measurement in report.measurements:
        facts = {**measurement.facts, "items": size.calls_per_window, "item": "calls"}
        records.append(msgspec.structs.replace(measurement, facts=facts))
    is_unclear = any(one.verdict == "unclear" for one in report.findings) and size.is_below_the_most
    is_undecided = is_unclear or len(phases) < len(asked.wanted)
    return Followed((*records, *report.findings), is_undecided, size, len(phases))


def _left_out(asked: Following, phase: str, reason: str) -> Measurement:
    """Named as the series that it would have given, so that one of a later turn takes its place."""
    record = _without(asked.name, asked.device, "skipped", reason)
    return msgspec.structs.replace(record, quantity=f"memory floor, process, {phase}")


def _time_calls(call: NumberedCall, device: Device) -> float:
    """Seconds a call."""
    backend, _ = find_device(device.id)
    start = time.perf_counter()
    count = 0
    while count < PROBED_CALLS and time.perf_counter() - start < PROBE_S:
        call(count)
        count += 1
    backend.synchronize(device.id)
    return (time.perf_counter() - start) / count


def needed_for_a_verdict_s(call_s: float, window_s: float) -> float:
    """What the shortest phase takes."""
    return CALLS_FOR_A_VERDICT * call_s + (FEWEST_WINDOWS + WARM_UP_WINDOWS) * window_s


def _time_reading(device: Device) -> float:
    """Seconds for reading the memory after a window."""
    backend, _ = find_device(device.id)
    gc.collect()
    gc.freeze()  # as `find_leaks` does: without it collecting takes many times as long
    start = time.perf_counter()
    read_series(backend, device.id)
    seconds = time.perf_counter() - start
    gc.unfreeze()
    return seconds


def choose_phases(wanted: list[str], seconds: float, call_s: float, window_s: float) -> tuple[list[str], Size | None]:
    """The first of the phases wanted, as many as fit into the seconds, and their size; None where not even one does."""
    for count in range(len(wanted), 0, -1):
        size = choose_size(seconds / count, call_s, window_s)
        if size is not None:
            return wanted[:count], size
    return [], None


def choose_size(seconds: float, call_s: float, window_s: float) -> Size | None:
    """The most windows, and then calls in each, that fit into the seconds of a phase; None where a verdict does not."""
    for windows in range(WINDOWS, FEWEST_WINDOWS - 1, -4):
        for_calls_s = seconds / (windows + WARM_UP_WINDOWS) - window_s
        calls = int(for_calls_s / call_s)
        if calls >= FEWEST_CALLS:
            return Size(windows, min(calls, MOST_CALLS))
    return None


def _without(name: str, device: Device, status: Status, reason: str) -> Measurement:
    setup = complete_setup(Setup(), device.id)
    return Measurement(name=name, setup=setup, unit="bytes", quantity="memory floor", status=status, reason=reason)
