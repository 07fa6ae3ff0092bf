"""What depends on what was done before: repetition without waiting, a dirtied allocator, another call between.

A fresh process hides these faults, so they are looked for in a used one.
"""

from collections.abc import Callable
from typing import Any

import torch

from torchstone.ops.placing import is_bitwise_same
from torchstone.ops.probes.bases import Base
from torchstone.ops.probes.calling import NotApplicableError, Prepared, bring_back, on_device, perform
from torchstone.ops.probes.conditions import FOR_PRETEND, FORWARD, Point, Thresholds
from torchstone.ops.probes.judging import Answers, Prober, Wrong, plain_calls

REPEATS = 60
DIRTY_BLOCKS = (3, 17, 64, 1000, 4099, 65_537, 1_000_003)
"""Elements of float32: small, odd and large ones."""


def probe_state(prober: Prober, empty_cache: Callable[[], None]) -> None:
    """Adds what it finds to the prober's own."""
    base, wrong = prober.base, prober.wrong
    for probe in (_alternate, _repeat, _dirty):
        if prober.is_over():
            prober.left_out += 1
            continue
        try:
            found = probe(prober, empty_cache)
        except NotApplicableError:
            continue
        except Exception as error:  # a refusal is not a wrong answer
            prober._note_refusal(Point(base.dtypes[0]), error)
            continue
        if found is not None:
            wrong.append(found)


def _alternate(prober: Prober, _: Callable[[], None]) -> Wrong | None:
    """Each kind of call, then the plain one again, then that kind again: none may remember another."""
    base = prober.base
    sequence = list(plain_calls(base, prober.thresholds))
    plain_by_way = {point.way: point for point in sequence if point.option is None and point.size is None}
    for point in sequence:
        first = plain_by_way.get(point.way, sequence[0])
        for step in (first, point, first, point):
            prober.forget()
            reason = prober.judge(step)
            if reason is not None:
                words = f"{step.describe(base)}, after {point.describe(base)}"
                return Wrong(step, words, reason)
    return None


def _repeat(prober: Prober, _: Callable[[], None]) -> Wrong | None:
    """Many equal calls without waiting, bit by bit against the first."""
    base = prober.base
    for way in (FORWARD, "backward dense") if base.has_gradient else (FORWARD,):
        point = Point(base.dtypes[0], way=way)
        answers = prober._answers(point)
        if answers is None or answers.plain is None or not answers.is_plain_right:
            continue
        places = _places(prober, answers, point)
        kept = [_perform_there(base, placed, way) for placed in places]
        for number, one in enumerate(kept):
            found = answers.plain._replace(output=bring_back(one))
            if not is_bitwise_same(found, answers.plain):
                reason = prober._grade(answers, found)
                if reason is not None:
                    return Wrong(point, f"{point.describe(base)}, call {number + 1} of {REPEATS} equal ones", reason)
    return None


def _places(prober: Prober, answers: Answers, point: Point) -> list[Prepared]:
    """The same arguments for all calls, but for calls that write into them."""
    count = REPEATS if answers.writes else 1
    return [on_device(answers.prepared, point, prober.device) for _ in range(count)] * (REPEATS // count)


def _perform_there(base: Base, placed: Prepared, way: str) -> Any:
    """Forward calls stay on the device until all have been asked for."""
    if way == FORWARD:
        return base.call(*placed.args, **placed.kwargs)
    return perform(base, placed, way).output


def _dirty(prober: Prober, empty_cache: Callable[[], None]) -> Wrong | None:
    """After blocks full of NaN and of large numbers were freed, and again after the cache was emptied."""
    base = prober.base
    of_interest = (0, 1, prober.thresholds.crossed[-1])
    sizes = [(role, size) for role in base.sizes for size in of_interest if not base.is_too_slow(role, size)]
    for value in (torch.nan, 1e30):
        for step in (Point(base.dtypes[0]), *(Point(base.dtypes[0], size=size) for size in sizes)):
            for way in (FORWARD, "backward dense") if base.has_gradient else (FORWARD,):
                point = Point(step.dtype, size=step.size, way=way)
                dirty_memory(prober.device, value)
                prober.forget()
                reason = prober.judge(point)
                if reason is not None:
                    return Wrong(point, f"{point.describe(base)}, after blocks full of {value} were freed", reason)
    empty_cache()
    reason = prober.judge(Point(base.dtypes[0]))
    return Wrong(Point(base.dtypes[0]), "after the cache was emptied", reason) if reason is not None else None


def dirty_memory(device: torch.device, value: float) -> None:
    """Take blocks of several sizes, fill them, and give them back to the allocator."""
    blocks = [torch.full((count,), value, dtype=torch.float32, device=device) for count in DIRTY_BLOCKS]
    del blocks


def thresholds_for(device: torch.device) -> Thresholds:
    """The sizes for it."""
    return FOR_PRETEND if device.type == "pretend" else Thresholds()
