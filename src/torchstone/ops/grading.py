"""Right or wrong: the device's answer against float64, graded by the CPU's own error in the same dtype.

A fixed tolerance calls the CPU itself wrong (29 of 677 float32 operators, 452 of 2,731 gradients). So a device may be
as far from float64 as torch's own tolerance for the dtype allows, and some times further than the CPU is. What the CPU
can't represent (an overflow in float16) is not held against the device either way.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.ops.operators import Answer
from torchstone.ops.placing import leaves, resolved

TIMES_THE_CPU = 8.0
"""How much further from float64 than the CPU's worst element: another order of summing explains a factor of a few."""
RELATIVE = {
    torch.float16: 1e-3,
    torch.bfloat16: 1.6e-2,
    torch.float32: 1.3e-6,
    torch.float64: 1e-7,
    torch.complex32: 1e-3,
    torch.complex64: 1.3e-6,
    torch.complex128: 1e-7,
}
"""torch.testing.assert_close's own."""
ABSOLUTE = {torch.float64: 1e-7, torch.complex128: 1e-7}
DEFAULT_ABSOLUTE = 1e-5
EIGHT_BIT_RELATIVE = 0.25
"""Of a float8, whose steps are an eighth to a quarter of the value."""


@dataclass(frozen=True)
class Grade:
    """How far off an answer is; `wrong` says in words what is wrong of it, or is None."""

    wrong: str | None = None
    error: float | None = None
    """Largest distance from float64, as a part of the answer's largest value (or of 1, if that is larger)."""
    cpu_error: float | None = None

    def and_also(self, other: "Grade") -> "Grade":
        """Of two outputs, the worse."""
        error, cpu_error = _larger(self.error, other.error), _larger(self.cpu_error, other.cpu_error)
        return Grade(self.wrong or other.wrong, error, cpu_error)


def _larger(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return max(known, default=None)


def grade(
    found: Any,
    cpu: Any,
    reference: Any,
    answer: Answer = "unique",
    indexed: torch.Tensor | None = None,
    slack: float = 1.0,
) -> Grade:
    """All outputs of a call; `reference` is None where float64 can't be had. `slack` widens torch's own tolerance: a
    sum of many numbers in another order is further off."""
    ours, theirs = leaves(found), leaves(cpu)
    wide = leaves(reference) if reference is not None else list(theirs)
    if len(ours) != len(theirs) or len(wide) != len(theirs):
        return Grade(f"{len(ours)} outputs instead of {len(theirs)}")
    total = Grade()
    for one, other, right in zip(ours, theirs, wide, strict=True):
        total = total.and_also(_grade_leaf(one, other, right, answer, indexed, slack))
    return total


def _grade_leaf(
    found: Any, cpu: Any, reference: Any, answer: Answer, indexed: torch.Tensor | None, slack: float
) -> Grade:
    if not isinstance(cpu, torch.Tensor):
        return _grade_plain(found, cpu, reference)
    if not isinstance(found, torch.Tensor):
        return Grade(f"a {type(found).__name__} instead of a tensor")
    if found.shape != cpu.shape:
        return Grade(f"shape {tuple(found.shape)} instead of {tuple(cpu.shape)}")
    if found.dtype != cpu.dtype:
        return Grade(f"dtype {found.dtype} instead of {cpu.dtype}")
    if answer == "uninitialised" or cpu.numel() == 0:
        return Grade()
    found, cpu, reference = (resolved(one) for one in (found, cpu, reference))
    if answer == "up to a sign":
        found, cpu, reference = (one.abs() for one in (found, cpu, reference))
    if not (cpu.is_floating_point() or cpu.is_complex()):
        return _grade_exact(found, cpu, reference, indexed if answer == "ties" else None)
    return grade_floating(found, cpu, reference, slack)


def _grade_plain(found: Any, cpu: Any, reference: Any) -> Grade:
    if isinstance(cpu, (float, complex)) and isinstance(found, (float, complex)):
        return grade_floating(torch.tensor(found), torch.tensor(cpu), torch.tensor(reference))
    same = found == cpu or isinstance(cpu, (torch.device, torch.dtype)) or type(found) is type(cpu) is object
    return Grade() if same else Grade(f"{str(found)[:80]} instead of {str(cpu)[:80]}")


def _grade_exact(
    found: torch.Tensor, cpu: torch.Tensor, reference: torch.Tensor, indexed: torch.Tensor | None
) -> Grade:
    """Whole numbers and truths are equal or wrong, but where rounding made the CPU differ from float64 itself."""
    if torch.equal(found, cpu):
        return Grade()
    differs = found != cpu
    if reference.shape == cpu.shape:
        differs &= reference.to(cpu.dtype) == cpu
    count = int(differs.sum())
    if count == 0 or (indexed is not None and _names_equal_values(found, cpu, indexed)):
        return Grade()
    place = _first(differs)
    values = f"{found[place].item()} instead of {cpu[place].item()} at {list(place)}"
    return Grade(f"{count} of {cpu.numel()} elements differ: {values}")


def _names_equal_values(found: torch.Tensor, cpu: torch.Tensor, indexed: torch.Tensor) -> bool:
    """Whether two index answers stand for the same values: among equal ones any may be named."""
    if found.dtype != torch.int64 or not indexed.numel():
        return False
    flat = indexed.flatten()
    if int(found.min()) < 0 or int(found.max()) >= flat.numel():
        return False
    tries = [(flat[found], flat[cpu])]
    for dim in range(indexed.dim()):
        for ours, theirs in ((found, cpu), (found.unsqueeze(dim), cpu.unsqueeze(dim))):
            if ours.dim() == indexed.dim() and int(ours.max()) < indexed.shape[dim]:
                try:
                    tries.append((indexed.gather(dim, ours), indexed.gather(dim, theirs)))
                except RuntimeError:  # another dimension was reduced
                    continue
    return any(torch.equal(ours, theirs) for ours, theirs in tries)


def grade_floating(found: torch.Tensor, cpu: torch.Tensor, reference: torch.Tensor, slack: float = 1.0) -> Grade:
    """Element by element against float64."""
    dtype = cpu.dtype
    if cpu.is_complex():
        found, cpu, reference = (_as_real(one) for one in (found, cpu, reference))
    ours, theirs, right = found.double(), cpu.double(), reference.double()
    if right.shape != theirs.shape:
        right = theirs
    judged = theirs.isfinite() & right.isfinite()
    distance, own = (ours - right).abs(), (theirs - right).abs()
    cpu_worst = float(own[judged].max()) if bool(judged.any()) else 0.0
    relative = RELATIVE.get(dtype, EIGHT_BIT_RELATIVE)
    plain = ABSOLUTE.get(dtype, DEFAULT_ABSOLUTE) + relative * right.abs()
    allowed = slack * plain + TIMES_THE_CPU * cpu_worst
    bad = judged & ~(distance <= allowed)
    bad |= ~judged & ~_is_same(ours, theirs) & ~_is_same(ours, right) & ~(right.isfinite() & (distance <= allowed))
    scale = max(1.0, float(right[judged].abs().max()) if bool(judged.any()) else 1.0)
    seen = distance[judged & ours.isfinite()]
    error = float(seen.max()) / scale if seen.numel() else None
    return Grade(_tell(bad, ours, right, theirs), _finite(error), _finite(cpu_worst / scale))


def _as_real(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.resolve_conj()
    return torch.view_as_real(
        tensor if tensor.is_complex() else torch.complex(tensor.double(), torch.zeros_like(tensor))
    )


def _is_same(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return (one == other) | (one.isnan() & other.isnan())


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _tell(bad: torch.Tensor, ours: torch.Tensor, right: torch.Tensor, theirs: torch.Tensor) -> str | None:
    count = int(bad.sum())
    if count == 0:
        return None
    distance = torch.where(bad, (ours - right).abs().nan_to_num(math.inf), -1.0)
    place = _unravel(int(distance.argmax()), distance.shape)
    values = f"{ours[place].item():.6g} instead of {right[place].item():.6g} (CPU {theirs[place].item():.6g})"
    return f"{count} of {bad.numel()} elements are wrong: {values} at {list(place)}"


def _first(where: torch.Tensor) -> tuple[int, ...]:
    return tuple(int(part) for part in where.nonzero()[0])


def _unravel(flat: int, shape: torch.Size) -> tuple[int, ...]:
    return tuple(int(part) for part in torch.unravel_index(torch.tensor(flat), shape)) if shape else ()
