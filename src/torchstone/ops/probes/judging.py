"""One base under all its conditions: the device against itself first, then against the CPU and float64."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchstone.errors import first_line_of
from torchstone.ops.arguments import grade_arguments
from torchstone.ops.grading import grade
from torchstone.ops.operators import Answer
from torchstone.ops.opinfo import TIES, TIES_TOO
from torchstone.ops.placing import CPU, is_bitwise_same, tensors
from torchstone.ops.probes.bases import Base
from torchstone.ops.probes.bases.base import MOST_STEPS
from torchstone.ops.probes.calling import (
    NotApplicableError,
    Performed,
    Prepared,
    on_device,
    perform,
    perform_wide,
    prepare,
)
from torchstone.ops.probes.conditions import FORWARD, Change, Point, Thresholds, points_alone, points_in_pairs

MOST_WRONG = 12
"""Conditions that are told of one operator; the smallest come first."""
SLACK_ELEMENTS = 4.0
"""Rounding errors of a sum grow with the root of its length; up to 16 elements torch's tolerance stands as it is."""
MOST_KEPT = 64
"""Answers of the CPU that are kept for the next conditions."""


@dataclass
class Answers:
    """What is right for a dtype, size, values, option and way; and what the device gave without any layout."""

    prepared: Prepared
    cpu: Performed
    wide: Performed | None = None
    plain: Performed | None = None
    is_plain_right: bool = False
    plain_error: str | None = None

    @property
    def writes(self) -> bool:
        """Whether the call changes its arguments on the CPU, so that an equal call needs them anew."""
        return not is_bitwise_same(self.cpu.before, self.cpu.after)


@dataclass
class Wrong:
    """A condition under which an answer was wrong."""

    point: Point
    words: str
    reason: str


@dataclass
class Prober:
    """Puts one base through its conditions."""

    base: Base
    device: torch.device
    thresholds: Thresholds
    is_over: Callable[[], bool] = lambda: False
    wrong: list[Wrong] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    judged: int = 0
    left_out: int = 0
    """Conditions for which there was no time."""
    largest: int = 0
    """Elements of the largest argument of what was judged."""
    not_run: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By dimension, the smallest of its wide sizes that could not be run, and why."""
    _known: dict[Any, Answers | None] = field(default_factory=dict)
    _bad: set[Change] = field(default_factory=set)
    _is_done: bool = False
    """Enough is known: the plain call is wrong, or many conditions are."""

    def run(self) -> None:
        """Each condition alone, then in pairs."""
        self.run_alone()
        self.run_pairs()

    def run_alone(self) -> None:
        self._run(points_alone(self.base, self._tensors, self.thresholds))

    def run_pairs(self) -> None:
        self._run(points_in_pairs(self.base, self._tensors, self.thresholds, self._bad))

    @property
    def _tensors(self) -> int:
        return len(tensors(prepare(self.base, Point(self.base.dtypes[0]), self.thresholds).args))

    def _run(self, given: Iterator[tuple[Point, set[Change]]]) -> None:
        for point, changes in given:
            if self._is_done:
                return
            if self.is_over():
                self.left_out += 1
                continue
            reason = self.judge(point)
            if reason is not None:
                self._bad |= changes if len(changes) == 1 else set()
                self.wrong.append(Wrong(point, point.describe(self.base), reason))
                self._is_done = not changes or len(self.wrong) >= MOST_WRONG

    def forget(self) -> None:
        """Ask the device and the CPU anew."""
        self._known.clear()

    def judge(self, point: Point) -> str | None:
        """What is wrong there, or None."""
        try:
            answers = self._answers(point)
            if answers is None:
                self._note_not_run(point, "the CPU refuses it")
                return None
            if not self._is_special(point):
                self._count(answers)
                return None if answers.is_plain_right else answers.plain_error
            placed = on_device(answers.prepared, point, self.device)
            found = perform(self.base, placed, point.way, is_guarded=True)
        except NotApplicableError as why:
            self._note_not_run(point, str(why))
            return None
        except Exception as error:  # a refusal is not a wrong answer
            self._note_refusal(point, error)
            return None
        self._count(answers)
        if answers.is_plain_right and is_bitwise_same(found, answers.plain):
            return None
        if not answers.is_plain_right:
            return answers.plain_error if self._is_told_here(point) else None
        return self._grade(answers, found) and self._grade_by_cpu_alike(answers, found, point)

    def _grade_by_cpu_alike(self, answers: Answers, found: Performed, point: Point) -> str | None:
        """By the CPU's own error in the same layout: it too sums in another order there."""
        try:
            alike = perform(self.base, on_device(answers.prepared, point, CPU), point.way, is_guarded=True)
        except Exception:  # what the CPU refuses in this layout is judged without it
            return self._grade(answers, found)
        return self._grade(replace(answers, cpu=alike), found)

    @staticmethod
    def _is_special(point: Point) -> bool:
        return point.layout is not None or point.way.startswith(("in place", "out="))

    @staticmethod
    def _is_told_here(point: Point) -> bool:
        """Whether no other condition makes the call that this one's answer is held against: an expanded argument has
        values of its own, an in-place form may have a kernel of its own."""
        has_own_values = point.layout is not None and point.layout[0].startswith("expanded")
        return has_own_values or point.way.startswith("in place")

    def _answers(self, point: Point) -> Answers | None:
        expanded = point.layout if point.layout is not None and point.layout[0].startswith("expanded") else None
        key = (point.dtype, point.size, point.values, point.option, expanded, point.way)
        if key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._find_out(point)
        return self._known[key]

    def _find_out(self, point: Point) -> Answers | None:
        prepared = prepare(self.base, point, self.thresholds)
        try:
            placed = on_device(prepared, Point(point.dtype), CPU)
            answers = Answers(prepared, perform(self.base, placed, point.way))
        except NotApplicableError:
            raise
        except Exception:  # what the CPU refuses nobody can be held to
            return None
        try:
            answers.wide = perform_wide(self.base, prepared, point.way)
        except Exception:  # no float64 there: the CPU's own answer is the reference
            answers.wide = None
        answers.plain = perform(self.base, on_device(prepared, Point(point.dtype), self.device), point.way)
        answers.plain_error = self._grade(answers, answers.plain)
        answers.is_plain_right = answers.plain_error is None
        return answers

    def _grade(self, answers: Answers, found: Performed) -> str | None:
        ties = self.base.name in (*TIES, *TIES_TOO, "max_dim", "min_dim")
        answer: Answer = "ties" if ties else "unique"
        indexed = next(iter(tensors(answers.prepared.args)), None)
        largest = max((one.numel() for one in tensors(answers.prepared.args)), default=1)
        slack = max(1.0, math.sqrt(largest) / SLACK_ELEMENTS)
        cpu, wide = answers.cpu, answers.wide
        graded = grade(found.output, cpu.output, wide.output if wide else None, answer, indexed, slack)
        incoming = len(cpu.before) - len(tensors((answers.prepared.args, answers.prepared.kwargs)))
        wide_after = wide.after if wide else ()
        left = grade_arguments(found.before, found.after, cpu.before, cpu.after, wide_after, incoming)
        return graded.and_also(left).wrong

    def _count(self, answers: Answers) -> None:
        self.judged += 1
        self.largest = max(self.largest, *(one.numel() for one in answers.cpu.before), 0)

    def _note_not_run(self, point: Point, why: str) -> None:
        """Of a wide size by itself: what is impossible in a pair is no news."""
        if point.size is None or point.size[1] < self.thresholds.narrow[0] or point != self._alone(point):
            return
        role, size = point.size
        before = self.not_run.get(role)
        if before is None or size < before[0]:
            self.not_run[role] = (size, why)

    def _alone(self, point: Point) -> Point:
        return Point(self.base.dtypes[0], size=point.size)

    @property
    def not_run_in_words(self) -> str:
        """Such as: k=32767 and more (why)."""
        slow = dict.fromkeys(self.base.sequential, (MOST_STEPS + 1, "each step waits for the one before"))
        every = sorted((self.not_run | slow).items())
        return ", ".join(f"{role}={size} and more ({why})" for role, (size, why) in every)

    def _note_refusal(self, point: Point, error: Exception) -> None:
        self.refused.setdefault(first_line_of(error)[:200], point.describe(self.base))


def probe(base: Base, device: torch.device, thresholds: Thresholds, is_over: Callable[[], bool]) -> Prober:
    prober = Prober(base, device, thresholds, is_over)
    prober.run()
    return prober


def plain_calls(base: Base, thresholds: Thresholds) -> Iterator[Point]:
    """Some points that probes of state repeat: forward and backward, plain and with each option."""
    plain, wide = Point(base.dtypes[0]), thresholds.crossed[-1]
    ways = (FORWARD, "backward dense") if base.has_gradient else (FORWARD,)
    roles = [role for role in base.sizes if not base.is_too_slow(role, wide)]
    for way in ways:
        yield Point(plain.dtype, way=way)
        yield from (Point(plain.dtype, option=number, way=way) for number in range(len(base.options)))
        yield from (Point(plain.dtype, size=(role, 9), way=way) for role in base.sizes)
        yield from (Point(plain.dtype, size=(role, wide), way=way) for role in roles)
        yield from (Point(dtype, way=way) for dtype in base.dtypes[1:])
