"""One base under all its conditions: the device against itself first, then against the CPU and float64."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchstone.errors import first_line_of
from torchstone.ops.grading import grade
from torchstone.ops.operators import Answer
from torchstone.ops.opinfo import TIES, TIES_TOO
from torchstone.ops.placing import CPU, is_bitwise_same, tensors
from torchstone.ops.probes.bases import Base
from torchstone.ops.probes.calling import (
    NotApplicableError,
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
    cpu: Any
    wide: Any
    plain: Any = None
    is_plain_right: bool = False
    plain_error: str | None = None


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
                return None
            if not self._is_special(point):
                self.judged += 1
                return None if answers.is_plain_right else answers.plain_error
            placed = on_device(answers.prepared, point, self.device)
            found = perform(self.base, placed, point.way, is_guarded=True)
        except NotApplicableError:
            return None
        except Exception as error:  # a refusal is not a wrong answer
            self._note_refusal(point, error)
            return None
        self.judged += 1
        if answers.is_plain_right and is_bitwise_same(found, answers.plain):
            return None
        if not answers.is_plain_right:
            return None  # told under the condition without the layout
        return self._grade(answers, found) and self._grade_by_cpu_alike(answers, found, point)

    def _grade_by_cpu_alike(self, answers: Answers, found: Any, point: Point) -> str | None:
        """By the CPU's own error in the same layout: it too sums in another order there."""
        try:
            alike = perform(self.base, on_device(answers.prepared, point, CPU), point.way, is_guarded=True)
        except Exception:  # what the CPU refuses in this layout is judged without it
            return self._grade(answers, found)
        return self._grade(replace(answers, cpu=alike), found)

    @staticmethod
    def _is_special(point: Point) -> bool:
        return point.layout is not None or point.way.startswith(("in place", "out="))

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
            answers = Answers(prepared, perform(self.base, placed, point.way), None)
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

    def _grade(self, answers: Answers, found: Any) -> str | None:
        ties = self.base.name in (*TIES, *TIES_TOO, "max_dim", "min_dim")
        answer: Answer = "ties" if ties else "unique"
        indexed = next(iter(tensors(answers.prepared.args)), None)
        largest = max((one.numel() for one in tensors(answers.prepared.args)), default=1)
        slack = max(1.0, math.sqrt(largest) / SLACK_ELEMENTS)
        return grade(found, answers.cpu, answers.wide, answer, indexed, slack).wrong

    def _note_refusal(self, point: Point, error: Exception) -> None:
        self.refused.setdefault(first_line_of(error)[:200], point.describe(self.base))


def probe(base: Base, device: torch.device, thresholds: Thresholds, is_over: Callable[[], bool]) -> Prober:
    prober = Prober(base, device, thresholds, is_over)
    prober.run()
    return prober


def plain_calls(base: Base, thresholds: Thresholds) -> Iterator[Point]:
    """Some points that probes of state repeat: forward and backward, plain and with each option."""
    plain = Point(base.dtypes[0])
    ways = (FORWARD, "backward dense") if base.has_gradient else (FORWARD,)
    for way in ways:
        yield Point(plain.dtype, way=way)
        yield from (Point(plain.dtype, option=number, way=way) for number in range(len(base.options)))
        yield from (Point(plain.dtype, size=(role, 9), way=way) for role in base.sizes)
        yield from (Point(plain.dtype, size=(role, thresholds.narrow[-1]), way=way) for role in base.sizes)
        yield from (Point(dtype, way=way) for dtype in base.dtypes[1:])
