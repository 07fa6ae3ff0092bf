"""The judge: looks at an output and says `ok`, `wrong` with the cause, or `unverified` with the reason.

What is compared how: floating-point and complex values by the yardstick of the CPU's own error; integers, booleans and
everything else exactly, unless the CPU itself disagrees between float64 and the dtype (a rounded pixel, a near tie):
then as many may differ as the CPU's do, four times over, and by no more. Shapes, dtypes, missing and additional values
are named before any arithmetic is blamed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import torch
from torch import Tensor

from torchstone.correctness.answers import Answer, answer_of, pick_rows
from torchstone.correctness.calling import take_inputs_apart
from torchstone.correctness.doubting import Others
from torchstone.correctness.leaves import Leaf, NotComparableError, take_apart
from torchstone.correctness.yardstick import CPU_ERROR_FACTOR, Error, Yardstick, tolerance_for
from torchstone.records import Scalar

Verdict = Literal["ok", "wrong", "unverified"]
Leaves = Mapping[str, Leaf]
_GRAVITY: dict[Verdict, int] = {"ok": 0, "unverified": 1, "wrong": 2}
_WIDTHS = {"float64": 64, "complex128": 64, "float32": 32, "complex64": 32, "float16": 16, "bfloat16": 16}
_FEW_TIES = 4
"""Elements of a tensor of integers that may fall the other way beyond the CPU's own share."""


@dataclass(frozen=True)
class Judgement:
    """What was found of one output."""

    verdict: Verdict
    reason: str | None = None
    """What is wrong, or why nothing could be verified."""
    worst_error: float | None = None
    """At the worst place, relative to the values around it; None where nothing was compared by arithmetic."""
    tolerance: float | None = None
    """There, on the same scale."""
    where: str | None = None
    """The worst place, as a person would reach it: `output['logits'][0, 3]`."""


UNCOMPARED = Judgement("unverified", "its output holds nothing that can be compared")


@dataclass
class Judge:
    """Looks at outputs of a timed call. Remembers the worst it saw."""

    exact: Answer | Leaves
    """On the CPU in float64: every value by its name, or the floating-point tensors in order."""
    own: float | Leaves
    """The CPU's answer in the same dtype; or its error relative to the largest value, where only that is known."""
    dtype: str
    rows: tuple[int, ...] | None = None
    """Which rows of `exact` the output's rows are, in order: a batch of 5 made of two examples has 0, 1, 0, 1, 0. None
    where the output is the whole of `exact`."""
    examples: int | None = None
    """How many rows `exact` has; a value that has another number of them has no batch."""
    unverifiable: str | None = None
    """Why no output can be judged."""
    autocast: bool = False
    """Whether outputs may be narrower than the weights."""
    inputs: Leaves | None = None
    """What the inputs hold, where they must still hold it after a call."""
    others: Callable[[], Others] | None = None
    """Asked before anything is called wrong: what other honest computers might answer."""
    looks: int = field(default=0, init=False)
    _worst: Judgement = field(default_factory=lambda: Judgement("ok"), init=False)
    _yardsticks: dict[str, Yardstick] = field(default_factory=dict, init=False)

    def __call__(self, output: Any) -> str | None:
        """What is wrong with an output, or None."""
        found = self.check(output)
        return found.reason if found.verdict == "wrong" else None

    def check(self, output: Any, *, inputs: Any = None) -> Judgement:
        """The verdict on an output; with the `inputs` that it came of, also whether they were left alone."""
        found = self._check_all(output, inputs)
        self.looks += found.worst_error is not None or found.verdict == "ok"
        self._worst = worse(self._worst, found)
        return found

    def judgement(self) -> Judgement:
        """The worst of all looks; `unverified` before the first."""
        if self.looks == 0 and self._worst.verdict == "ok":
            return Judgement("unverified", self.unverifiable or "no output was looked at")
        return self._worst

    @property
    def worst(self) -> float:
        return self._worst.worst_error or 0.0

    @property
    def own_error(self) -> float:
        """The CPU's, of the worst tensor, relative to its largest value."""
        if not isinstance(self.own, Mapping):
            return self.own
        return max((self._yardstick(path).own_error for path in self._float_paths()), default=0.0)

    @property
    def tolerance(self) -> float:
        """Relative to the largest value of a tensor; slices of it may have a stricter one."""
        return tolerance_for(self.own_error, self.dtype)

    def facts(self) -> dict[str, Scalar]:
        """For the record: how right it was, and by which yardstick."""
        worst = self.judgement()
        said: dict[str, Scalar] = {"verdict": worst.verdict}
        if worst.verdict == "unverified":
            said["unverified"] = worst.reason
        if self.looks == 0:
            return said if self.unverifiable is not None or worst.verdict != "unverified" else {}
        return {
            **said,
            "error": _finite(self.worst),
            "cpu_error": _finite(self.own_error),
            "tolerance": _finite(self.tolerance),
            "outputs_verified": self.looks,
        }

    def _check_all(self, output: Any, inputs: Any) -> Judgement:
        if self.unverifiable is not None:
            return Judgement("unverified", self.unverifiable)
        try:
            got = self._take(output)
            spoilt = self._explain_spoilt(inputs)
        except NotComparableError as error:
            return Judgement("unverified", str(error))
        reason = spoilt or self._explain_missing(got)
        if reason is not None:
            return Judgement("wrong", reason)
        if not self._exact:
            return UNCOMPARED
        found = Judgement("ok")
        for path, leaf in got.items():
            judged = self._check_leaf(leaf, self._exact[path])
            found = worse(found, self._doubted(judged, leaf) if judged.verdict == "wrong" else judged)
        return found

    def _doubted(self, judged: Judgement, got: Leaf) -> Judgement:
        """`unverified` where another honest computer leaves the CPU's answer as far as this output does."""
        exact = self._exact[got.path]
        if self.others is None or not self._is_a_matter_of_values(got, exact):
            return judged
        gap = self._gap(got, exact, self._rows_of(exact))
        for why, leaves in self.others().items():
            other = leaves.get(got.path)
            if other is not None and other.kind == got.kind and gap <= self._allowed_gap(other, exact):
                return _with(judged, "unverified", f"{got.path} can't be judged: {why} ({judged.reason})")
        return judged

    def _is_a_matter_of_values(self, got: Leaf, exact: Leaf) -> bool:
        """Also a shape may be one, that of a selection; what a value is and its dtype never are."""
        if got.kind != exact.kind or not isinstance(exact.value, Tensor):
            return False
        has_shape = _true_shape(got, got.value.shape) == self._shape(exact)
        return not has_shape or self._explain_form(got, exact) is None

    def _allowed_gap(self, other: Leaf, exact: Leaf) -> float:
        found = self._gap(other, exact, None)
        if exact.kind in ("float", "complex"):
            return CPU_ERROR_FACTOR * found if found > 1 else 0.0
        few = min(CPU_ERROR_FACTOR * found + _FEW_TIES, exact.value.numel() / CPU_ERROR_FACTOR)
        return max(found, few) if found > 0 else 0.0

    def _gap(self, got: Leaf, exact: Leaf, rows: tuple[int, ...] | None) -> float:
        """How far apart, in tolerances or in differing values; beyond all bounds where the shapes differ."""
        wanted = exact.value if rows is None else exact.value[list(rows)]
        if got.value.shape != wanted.shape:
            return math.inf
        if exact.kind not in ("float", "complex"):
            return float((got.value.long() != wanted.long()).sum())
        error = self._yardstick(got.path).compare(got.value.double(), rows)
        return error.share if error is not None else 0.0

    @cached_property
    def _exact(self) -> Leaves:
        return self.exact if isinstance(self.exact, Mapping) else _by_place(self.exact)

    def _take(self, output: Any) -> Leaves:
        """As `exact` was taken."""
        return take_apart(output) if isinstance(self.exact, Mapping) else _by_place(answer_of(output))

    def _explain_spoilt(self, inputs: Any) -> str | None:
        if inputs is None or self.inputs is None:
            return None
        for path, leaf in take_inputs_apart(inputs).items():
            before = self.inputs.get(path)
            if before is not None and not self._is_untouched(leaf, before):
                return f"it changed {path} in place, which the CPU leaves alone"
        return None

    def _is_untouched(self, leaf: Leaf, before: Leaf) -> bool:
        """The device may have them in another dtype, and in more rows."""
        if not isinstance(before.value, Tensor) or leaf.dtype is None:
            return True
        rows = self._rows_of(before)
        wanted = before.value if rows is None else before.value[list(rows)]
        if leaf.kind == "float":
            wanted = wanted.to(getattr(torch, leaf.dtype)).double()
        return bool(wanted.shape == leaf.value.shape and _equal(leaf.value, wanted))

    def _explain_missing(self, got: Leaves) -> str | None:
        if not isinstance(self.exact, Mapping) and len(got) != len(self._exact):
            return f"gives {len(got)} tensors where the CPU gives {len(self._exact)}"
        missing, added = (sorted(one.keys() - other.keys()) for one, other in ((self._exact, got), (got, self._exact)))
        if missing and added:
            return f"gives {spell_paths(added)} where the CPU gives {spell_paths(missing)}"
        if missing:
            return f"gives no {spell_paths(missing)}, which the CPU gives"
        return f"gives {spell_paths(added)}, which the CPU does not" if added else None

    def _check_leaf(self, got: Leaf, exact: Leaf) -> Judgement:
        reason = self._explain_form(got, exact)
        if reason is not None:
            return Judgement("wrong", reason, where=got.path)
        if exact.kind in ("float", "complex"):
            return self._check_numbers(got)
        return self._check_exactly(got, exact)

    def _explain_form(self, got: Leaf, exact: Leaf) -> str | None:
        named = "" if got.path in ("output", "output[0]") else f"{got.path}: "
        if got.kind != exact.kind:
            return f"{named}gives {got.dtype or got.kind} where the CPU gives {exact.dtype or exact.kind}"
        if not isinstance(exact.value, Tensor):
            return None
        wanted, shape = self._shape(exact), _true_shape(got, got.value.shape)
        if shape != wanted:
            return f"{named}gives shape {shape} where the CPU gives {wanted}"
        expected = self._expected_dtype(exact)
        if expected is None or got.dtype is None or not _is_narrower(got.dtype, expected):
            return None
        return None if self.autocast else f"{named}gives {got.dtype} where the CPU gives {expected}"

    def _expected_dtype(self, exact: Leaf) -> str | None:
        """What follows the model's dtype is float64 in the exact answer; another is written in the model."""
        if not isinstance(self.exact, Mapping) or exact.dtype is None:
            return None
        follows = {"float64": self.dtype, "complex128": "complex64"}
        return follows.get(exact.dtype, exact.dtype)

    def _shape(self, exact: Leaf) -> tuple[int, ...]:
        rows = self._rows_of(exact)
        shape = exact.value.shape if rows is None else (len(rows), *exact.value.shape[1:])
        return _true_shape(exact, shape)

    def _rows_of(self, exact: Leaf) -> tuple[int, ...] | None:
        """None for a value that has no batch."""
        if self.rows is None or exact.value.dim() == 0 or self.examples not in (None, exact.value.shape[0]):
            return None
        return self.rows

    def _pick(self, got: Tensor, exact: Leaf) -> tuple[Tensor, tuple[int, ...] | None]:
        rows = self._rows_of(exact)
        if rows is None:
            return got, None
        picked = pick_rows(len(rows))
        return got[picked], tuple(rows[row] for row in picked)

    def _check_numbers(self, got: Leaf) -> Judgement:
        exact = self._exact[got.path]
        if exact.value.numel() > 0 and bool(exact.value.isnan().all()):
            return Judgement("unverified", f"{got.path} is NaN on the CPU in float64 already", where=got.path)
        yardstick = self._yardstick(got.path)
        values, rows = self._pick(got.value.double(), exact)
        error = yardstick.compare(values, rows)
        if error is None:
            return Judgement("ok")
        where = got.path if error.place is None else f"{got.path}[{', '.join(map(str, error.place))}]"
        judged = Judgement("ok", None, error.relative, error.tolerance, where)
        if yardstick.own_overflows and math.isinf(error.share):
            return _with(judged, "wrong", f"{error.words}: {self.dtype} can't hold its values, on the CPU neither")
        if error.share > 1 and math.isinf(error.share):
            return _with(judged, "wrong", error.words)
        if yardstick.unjudgeable is not None:
            return _with(judged, "unverified", f"{got.path} can't be judged: {yardstick.unjudgeable}")
        return judged if error.share <= 1 else _with(judged, "wrong", self._explain_error(error, where, yardstick))

    def _explain_error(self, error: Error, where: str, yardstick: Yardstick) -> str:
        own = f"the CPU's own error in {self.dtype} is {yardstick.own_error:.2g}"
        place = f" at {where}" if error.place is not None and len(self._exact) + len(error.place) > 2 else ""
        of = "the largest value of " + (error.words or "its slice") if len(yardstick.axes) > 1 else "its largest value"
        return f"differs from the CPU's float64 answer by {error.relative:.2g} of {of}{place}; {own}"

    def _yardstick(self, path: str) -> Yardstick:
        if path not in self._yardsticks:
            own: Tensor | float = self.own if not isinstance(self.own, Mapping) else math.inf
            if isinstance(self.own, Mapping) and path in self.own:
                own = self.own[path].value.double()
            self._yardsticks[path] = Yardstick(self._exact[path].value.double(), own, self.dtype)
        return self._yardsticks[path]

    def _float_paths(self) -> list[str]:
        return [path for path, leaf in self._exact.items() if leaf.kind in ("float", "complex")]

    def _check_exactly(self, got: Leaf, exact: Leaf) -> Judgement:
        if not isinstance(exact.value, Tensor):
            if got.value == exact.value:
                return Judgement("ok")
            return Judgement(
                "wrong", f"{got.path} is {got.value!r} where the CPU gives {exact.value!r}", where=got.path
            )
        values, rows = self._pick(got.value, exact)
        wanted = exact.value if rows is None else exact.value[list(rows)]
        differing = values.long() != wanted.long()
        count = int(differing.sum())
        if count <= self._allowed_ties(exact, values, wanted):
            return Judgement("ok")
        place = tuple(int(one) for one in differing.nonzero()[0])
        said, true = values[place].item(), wanted[place].item()
        where = f"{got.path}[{', '.join(map(str, place))}]" if place else got.path
        reason = (
            f"{count} of {values.numel()} values of {got.path} differ: {said} at {where} where the CPU gives {true}"
        )
        return Judgement("wrong", reason, where=where)

    def _allowed_ties(self, exact: Leaf, values: Tensor, wanted: Tensor) -> int:
        """How many integers may differ: none, unless the CPU's own do between float64 and this dtype."""
        if not isinstance(self.own, Mapping) or exact.path not in self.own:
            return 0
        own = self.own[exact.path].value
        if not isinstance(own, Tensor) or own.shape != exact.value.shape:
            return 0
        gaps = (own.long() - exact.value.long()).abs()
        share = (gaps > 0).double().mean().item() if gaps.numel() else 0.0
        if share == 0 or int((values.long() - wanted.long()).abs().max()) > int(gaps.max()):
            return 0
        return int(CPU_ERROR_FACTOR * share * values.numel()) + _FEW_TIES


def worse(one: Judgement, other: Judgement) -> Judgement:
    """The graver verdict; of two alike, the one nearer to its tolerance."""
    if _GRAVITY[one.verdict] != _GRAVITY[other.verdict]:
        return max(one, other, key=lambda judged: _GRAVITY[judged.verdict])
    return max(one, other, key=_share)


def _share(judged: Judgement) -> float:
    if judged.worst_error is None:
        return -1.0
    return judged.worst_error / judged.tolerance if judged.tolerance else judged.worst_error


def _with(judged: Judgement, verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict, reason, judged.worst_error, judged.tolerance, judged.where)


def _by_place(tensors: Sequence[Tensor]) -> Leaves:
    named = (("output" if len(tensors) == 1 else f"output[{place}]", one) for place, one in enumerate(tensors))
    return {path: Leaf(path, tensor.detach().cpu().double(), "float") for path, tensor in named}


def _true_shape(leaf: Leaf, shape: Sequence[int]) -> tuple[int, ...]:
    """A complex tensor is held as pairs of reals."""
    return tuple(shape)[:-1] if leaf.kind == "complex" else tuple(shape)


def _is_narrower(got: str, expected: str) -> bool:
    if got == expected or expected not in _WIDTHS:
        return False
    return (
        _WIDTHS.get(got, 8) <= _WIDTHS[expected] if _WIDTHS[expected] == 16 else _WIDTHS.get(got, 8) < _WIDTHS[expected]
    )


def _equal(one: Tensor, other: Tensor) -> bool:
    return bool(((one == other) | ((one != one) & (other != other))).all())


def spell_paths(paths: Sequence[str]) -> str:
    """The first names and how many more."""
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return " and ".join(paths[:2]) + more


def _finite(number: float) -> float | None:
    """Records hold no infinity."""
    return None if math.isinf(number) else number
