"""What a call leaves in its arguments: where the CPU writes, a device must write the same; elsewhere, nothing at all.

An answer can be right beside an argument that is spoilt: a running statistic, a renormed table, or a tensor that the
operator should only have read. The CPU shows which of them are written: no schema has to be believed, so that functions
made of several operators are held to it too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from torchstone.ops.grading import Grade, grade
from torchstone.ops.placing import CPU, is_bitwise_same, resolved

Tensors = Sequence[torch.Tensor]


def held_now(given: Tensors) -> list[torch.Tensor]:
    """Copies on the CPU, which a later call can't change."""
    return [one.detach().to(CPU, copy=True) for one in given]


@dataclass
class Watch:
    """Tensors that a call is given, and what they held before it."""

    given: list[torch.Tensor] = field(default_factory=list)
    before: list[torch.Tensor] = field(default_factory=list)

    def add(self, given: Tensors) -> None:
        self.given += given
        self.before += held_now(given)


def grade_arguments(
    before: Tensors,
    after: Tensors,
    cpu_before: Tensors,
    cpu_after: Tensors,
    wide_after: Tensors = (),
    incoming: int = 0,
) -> Grade:
    """All arguments of a call, as they were before it and are after it, on the device and on the CPU. The last
    `incoming` of them are gradients that a backward pass was given."""
    wide = wide_after if len(wide_after) == len(cpu_after) else cpu_after
    total = Grade()
    for number, (old, new, right_old, right_new, reference) in enumerate(
        zip(before, after, cpu_before, cpu_after, wide, strict=True)
    ):
        if not _is_same(right_old, right_new):
            graded = grade(new, right_new, reference)
            what = f"what the call leaves in {_named(number, len(before) - incoming)} is wrong"
        elif not _is_same(old, new):
            graded = grade(new, old, None)
            what = f"the call overwrites {_named(number, len(before) - incoming)}, which it should only read"
        else:
            continue
        total = total.and_also(_told(graded, what))
    return total


def _named(number: int, arguments: int) -> str:
    return f"its tensor argument {number}" if number < arguments else f"its incoming gradient {number - arguments}"


def _told(graded: Grade, what: str) -> Grade:
    if graded.wrong is None:
        return graded
    return Grade(f"{what}: {graded.wrong}", graded.error, graded.cpu_error)


def _is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.layout == other.layout and is_bitwise_same(resolved(one), resolved(other))
