"""One operator in one dtype on a device: its verdict forward, then its verdict backward, each with its evidence."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import torch

from torchstone.errors import named_line
from torchstone.ops.arguments import grade_arguments
from torchstone.ops.calling import SEED, Called, call_on, call_wide, differentiable, draw_directions, gradients
from torchstone.ops.grading import Grade, grade
from torchstone.ops.operators import Numbered, Operator, Sample, dtype_name, pick_samples
from torchstone.ops.placing import CPU, is_bitwise_same, tensors
from torchstone.ops.verdicts import WORST_FIRST, finding, is_about_dtype
from torchstone.processes import cut, is_out_of_memory, tell_error
from torchstone.records import Finding, Scalar

REASON_LIMIT = 400
REPEATS = 3
"""Calls of a wrong sample, to tell what is always wrong from what changes from call to call."""


class Again(Protocol):
    """The same call once more, somewhere."""

    def __call__(self, place: torch.device, seed: int = SEED) -> Called: ...


@dataclass
class Tally:
    """What came of an operator's samples."""

    judged: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By verdict, the first reason and the number of its sample."""
    error: float | None = None
    cpu_error: float | None = None
    refused_by_cpu: str | None = None

    def add(self, number: int, verdict: str, reason: str = "", graded: Grade | None = None) -> None:
        self.judged += 1
        self.counts[verdict] += 1
        self.reasons.setdefault(verdict, (reason, number))
        if graded is not None:
            total = Grade(None, self.error, self.cpu_error).and_also(graded)
            self.error, self.cpu_error = total.error, total.cpu_error


@dataclass(frozen=True)
class Trio:
    """The same sample, called on the device, on the CPU and in float64."""

    numbered: Numbered
    device: Called
    cpu: Called
    wide: Called


def identity_of(operator: Operator, dtype: torch.dtype, device: str) -> dict[str, Scalar]:
    """The facts that name a cell, but for its direction."""
    return {
        "op": operator.aten,
        "name": operator.name,
        "variant": operator.variant,
        "dtype": dtype_name(dtype),
        "device": device,
        "source": operator.source,
    }


def judge(operator: Operator, dtype: torch.dtype, device: str, most_samples: int | None) -> Iterator[Finding]:
    """Forward, then backward where it has a gradient in this dtype."""
    identity, place = identity_of(operator, dtype, device), torch.device(device)
    wants_gradient = dtype in operator.gradient_dtypes
    try:
        numbered = pick_samples(operator, dtype, wants_gradient, most_samples)
    except Exception as error:  # somebody else's private code; what it can't make can't be judged
        yield finding(identity, "forward", "skipped", f"its samples can't be made: {_words(error)}")
        return
    tally, kept = Tally(), []
    for one in numbered:
        trio = Trio(one, call_on(operator, one.sample, place), call_on(operator, one.sample, CPU), Called())
        if trio.cpu.error is None:
            trio = Trio(one, trio.device, trio.cpu, call_wide(operator, one.sample))
            kept.append(trio)
        _judge_forward(operator, trio, place, tally)
    yield _verdict(identity, "forward", tally)
    if wants_gradient and kept:
        tally = Tally()
        for trio in kept:
            _judge_backward(operator, trio, place, tally)
        if tally.judged:
            yield _verdict(identity, "backward", tally)


def _judge_forward(operator: Operator, trio: Trio, device: torch.device, tally: Tally) -> None:
    indexed = next(iter(tensors(trio.numbered.sample.args)), None)

    def grade_output(device_call: Called) -> Grade:
        graded = grade(device_call.output, trio.cpu.output, trio.wide.output, operator.answer, indexed)
        return graded.and_also(_grade_arguments(device_call, trio.cpu, trio.wide))

    def again(place: torch.device, seed: int = SEED) -> Called:
        return call_on(operator, trio.numbered.sample, place, seed)

    _judge_one(trio.numbered.number, trio.device, trio.cpu, grade_output, again, device, tally, operator)


def _judge_backward(operator: Operator, trio: Trio, device: torch.device, tally: Tally) -> None:
    sample = trio.numbered.sample
    try:
        directions = draw_directions(differentiable(trio.cpu, sample))
    except Exception as error:  # what OpInfo does to an output may not suit it
        tally.refused_by_cpu = _words(error)
        return
    if not directions or not trio.cpu.inputs or trio.device.error is not None:
        return
    cpu, wide = gradients(trio.cpu, sample, directions), _wide_gradients(trio.wide, sample, directions)

    def again(place: torch.device, seed: int = SEED) -> Called:
        return gradients(call_on(operator, sample, place, seed), sample, directions)

    def grade_gradients(device_call: Called) -> Grade:
        graded = grade(device_call.output, cpu.output, wide.output)
        return graded.and_also(_grade_arguments(device_call, cpu, wide, len(directions)))

    found = gradients(trio.device, sample, directions)
    _judge_one(trio.numbered.number, found, cpu, grade_gradients, again, device, tally, operator)


def _grade_arguments(found: Called, cpu: Called, wide: Called, incoming: int = 0) -> Grade:
    return grade_arguments(found.before, found.after, cpu.before, cpu.after, wide.after, incoming)


def _wide_gradients(wide: Called, sample: Sample, directions: list[torch.Tensor]) -> Called:
    if wide.error is not None:
        return Called()
    found = gradients(wide, sample, directions)
    return found if found.error is None else Called()


def _judge_one(
    number: int,
    found: Called,
    cpu: Called,
    grade_it: Callable[[Called], Grade],
    again: Again,
    device: torch.device,
    tally: Tally,
    operator: Operator,
) -> None:
    """The verdict on one sample."""
    if cpu.error is not None:
        tally.refused_by_cpu = tally.refused_by_cpu or _words(cpu.error)
    elif found.error is not None:
        tally.add(number, *_refusal(found.error))
    else:
        graded = grade_it(found)
        if graded.wrong is None:
            tally.add(number, "falls_back" if found.fell_back else "ok", found.fell_back or "", graded)
        else:
            tally.add(number, *_explain_wrong(operator, cpu, graded, grade_it, again, device), graded)


def _refusal(error: Exception) -> tuple[str, str]:
    words = _words(error)
    if is_out_of_memory(error):
        return "skipped", f"out of memory: {words}"
    return ("dtype" if is_about_dtype(str(error)) else "unsupported"), words


def _explain_wrong(
    operator: Operator,
    cpu: Called,
    graded: Grade,
    grade_it: Callable[[Called], Grade],
    again: Again,
    device: torch.device,
) -> tuple[str, str]:
    """Wrong; or random, which the CPU is too; or flaky, or not unique."""
    reason = graded.wrong or ""
    if _is_random(again, cpu):
        return "ok", "random: its shape and dtype were compared alone"
    repeated = [again(device) for _ in range(REPEATS)]
    if any(one.error is None and grade_it(one).wrong is None for one in repeated):
        return "flaky", f"right in some of {REPEATS + 1} equal calls, else {reason}"
    if operator.answer == "seeded":
        return "skipped", f"it draws at random, and another draw than the CPU's can't be judged: {reason}"
    if operator.answer == "up to a sign":
        return "skipped", f"the answer is not unique, and it is another than the CPU's: {reason}"
    return "wrong", reason


def _is_random(again: Again, cpu: Called) -> bool:
    """Whether the CPU with another seed gives anything else."""
    other = again(CPU, SEED + 1)
    return other.error is None and not is_bitwise_same((other.output, other.after), (cpu.output, cpu.after))


def _verdict(identity: dict[str, Scalar], direction: str, tally: Tally) -> Finding:
    """The worst of its samples', with how many had it."""
    if not tally.judged:
        reason = f"the CPU cannot do it: {tally.refused_by_cpu}" if tally.refused_by_cpu else "it has no samples here"
        return finding(identity, direction, "skipped", reason)
    worst = next(verdict for verdict in WORST_FIRST if verdict in tally.counts)
    reason, number = tally.reasons[worst]
    count = tally.counts[worst]
    where = "" if count == tally.judged else f" (in {count} of {tally.judged} samples)"
    return finding(
        identity,
        direction,
        worst,
        f"{reason}{where}" if reason else f"{tally.judged} samples agree with float64 as well as the CPU does",
        sample=number,
        samples=tally.judged,
        error=tally.error,
        cpu_error=tally.cpu_error,
    )


def _words(error: Exception) -> str:
    told = tell_error(error)
    return cut(named_line(told.name, told.message), REASON_LIMIT)
