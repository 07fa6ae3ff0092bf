"""How far from the exact value is still right, and whether a value is: measured on the CPU, where the values are.

No fixed tolerance suits two models: rounding grows with depth and shrinks with width. So the yardstick is the CPU's own
error in the same dtype. And no single scale suits one tensor: boxes of 640 and scores of 0.01 in one tensor would let
any score pass. So along every axis each slice has its own scale and its own error, and the strictest holds.

Two tests: no single value may be off by more than four times the worst that the CPU is off in its slice; and all values
of a slice together (their root mean square) by no more than four times as much as the CPU's. Where four times the CPU's
own error is half of the values themselves, an output of zeros would nearly pass: then nothing can be said.
"""

import math
from dataclasses import dataclass
from functools import cached_property, reduce

import torch
from torch import Tensor

CPU_ERROR_FACTOR = 4.0
"""How many times the CPU's own error is still the same answer: another order of summing easily doubles an error."""
FLOORS = {"float64": 1e-9, "float32": 2**-8, "float16": 2**-5, "bfloat16": 2**-3}
"""What is tolerated however exact the CPU is, relative to the largest value. For float32 four units of TF32 (10 bits),
in which CUDA's convolutions compute by default; for the narrow ones the same four units, rounded up to half a digit."""
MEAN_FLOORS = {"float64": 1e-10, "float32": 2**-8, "float16": 2**-7, "bfloat16": 2**-5}
"""The same for the root mean square over a slice, in which rounding cancels out and a wrong scale does not."""
CEILING = 0.5
"""A tolerance of so much of the values themselves judges nothing: zeros are off by 1, a flipped sign by 2."""
SLICE_ELEMENTS = 32
"""Slices of fewer say too little of their own error."""
INSIGNIFICANT = 1e-5
"""Slices so much smaller than the whole tensor may be unjudged without the tensor being so."""
UNJUDGED_SHARE = 0.1
_TINY = 1e-300
_FLUSHED = ("float32", "bfloat16")
"""Dtypes whose smallest numbers many devices flush to zero; what is below the least normal one is no difference."""


@dataclass(frozen=True)
class Axis:
    """The slices along one axis (None: all values as one slice), shaped to be broadcast against the tensor."""

    axis: int | None
    scale: Tensor
    """The largest value of each slice."""
    tolerance: Tensor
    """How far one of its values may be off."""
    mean_tolerance: Tensor
    """How large the root mean square of its errors may be."""


@dataclass(frozen=True)
class Error:
    """The worst place of a comparison."""

    share: float
    """The error over its tolerance: above 1 is wrong."""
    relative: float
    """The error over the scale there."""
    tolerance: float
    """The tolerance over the scale there."""
    place: tuple[int, ...] | None
    """None where it is a whole slice that is off."""
    words: str


@dataclass(frozen=True)
class Yardstick:
    """The exact values of one tensor, and what the CPU's error in a dtype allows."""

    exact: Tensor
    """On the CPU in float64."""
    own: Tensor | float
    """The CPU's own answer in the dtype; or its error relative to the largest value, where only that is known."""
    dtype: str

    @cached_property
    def finite(self) -> Tensor:
        return self.exact.isfinite()

    @cached_property
    def own_overflows(self) -> bool:
        """Whether the dtype can't hold the values, on the CPU as well."""
        if isinstance(self.own, Tensor):
            return bool((self.finite & ~self.own.isfinite()).any())
        return math.isinf(self.own)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        exact = torch.where(self.finite, self.exact, 0.0)
        own = self._own_errors(exact)
        count = exact.numel()
        chosen: list[int | None] = [None]
        chosen += [
            axis for axis, size in enumerate(exact.shape) if size > 1 and count // max(size, 1) >= SLICE_ELEMENTS
        ]
        return tuple(self._axis(exact, own, axis) for axis in chosen)

    def _own_errors(self, exact: Tensor) -> Tensor:
        if isinstance(self.own, Tensor):
            both = self.finite & self.own.isfinite()
            return torch.where(both, (self.own - exact).abs(), 0.0)
        scale = exact.abs().max() if exact.numel() else exact.new_zeros(())
        return torch.full_like(exact, 0.0 if math.isinf(self.own) else self.own) * scale

    def _axis(self, exact: Tensor, own: Tensor, axis: int | None) -> Axis:
        scale, mean = largest(exact.abs(), axis), root_mean_square(exact, axis)
        # Another device need not give exact zeros where the CPU's whole slice is zero.
        limits = torch.finfo(getattr(torch, self.dtype, torch.float32))
        least = limits.eps * scale.median()
        if self.dtype in _FLUSHED:
            least = least.clamp(min=limits.smallest_normal)
        return Axis(
            axis,
            scale,
            torch.maximum(
                torch.maximum(CPU_ERROR_FACTOR * largest(own, axis), _floor(FLOORS, self.dtype) * scale), least
            ),
            torch.maximum(
                torch.maximum(CPU_ERROR_FACTOR * root_mean_square(own, axis), _floor(MEAN_FLOORS, self.dtype) * mean),
                least,
            ),
        )

    @cached_property
    def own_error(self) -> float:
        """The CPU's, relative to the largest value; infinite where the dtype can't hold the values."""
        if not isinstance(self.own, Tensor):
            return self.own
        return relative_error(self.own, self.exact)

    @cached_property
    def unjudgeable(self) -> str | None:
        """Why no output can be called right; None where one can."""
        if self.exact.numel() == 0 or not bool(self.finite.any()):
            return None
        if self.own_overflows:
            return f"its values overflow {self.dtype} on the CPU as well"
        share = self._unjudged_share()
        if share <= UNJUDGED_SHARE:
            return None
        values = "its values" if share > 0.95 else f"{share:.0%} of its values"
        return f"the CPU's own error in {self.dtype} is too large a part of {values} to tell right from wrong"

    def _unjudged_share(self) -> float:
        """Of the values, those in a slice whose tolerance is half of them; by the axis that judges the fewest."""
        exact = torch.where(self.finite, self.exact, 0.0)
        own = self._own_errors(exact)
        whole = root_mean_square(exact, None)
        shares = []
        for axis in self.axes:
            mean, errors = root_mean_square(exact, axis.axis), root_mean_square(own, axis.axis)
            blind = (CPU_ERROR_FACTOR * errors >= CEILING * mean) & (mean > INSIGNIFICANT * whole)
            shares.append(blind.double().mean().item())
        return max(shares)

    def compare(self, got: Tensor, rows: tuple[int, ...] | None = None) -> Error | None:
        """The worst place of an output; `rows` says which of the exact rows its rows are. None where it is empty."""
        exact, finite = self.exact, self.finite
        if rows is not None:
            exact, finite = exact[list(rows)], finite[list(rows)]
        if exact.numel() == 0:
            return None
        difference = (got - exact).abs_()
        if not bool(difference.max().isfinite()):  # NaN is the largest of all
            pattern = _compare_patterns(got, exact, finite, self.dtype)
            if pattern is not None:
                return pattern
            difference = torch.where(finite, difference, 0.0)
        return max(
            (self._worst_value(difference, rows), *self._worst_slices(difference, rows)), key=lambda error: error.share
        )

    def _worst_value(self, difference: Tensor, rows: tuple[int, ...] | None) -> Error:
        tolerance, scale = (self._strictest(name, rows) for name in ("tolerance", "scale"))
        worst = int((difference / tolerance.clamp(min=_TINY)).argmax())
        place = tuple(int(one) for one in torch.unravel_index(torch.tensor(worst), difference.shape))
        return _error(difference[place], _at(tolerance, difference, place), _at(scale, difference, place), place)

    def _strictest(self, name: str, rows: tuple[int, ...] | None) -> Tensor:
        """The least over the axes; those with the fewest slices first, so that few steps have the size of the whole."""
        values = (_of_rows(getattr(axis, name), axis.axis, rows) for axis in self.axes)
        return reduce(torch.minimum, sorted(values, key=Tensor.numel))

    def _worst_slices(self, difference: Tensor, rows: tuple[int, ...] | None) -> list[Error]:
        if difference.numel() < SLICE_ELEMENTS:
            return []
        squares = difference.square()
        return [self._worst_slice(axis, squares, rows) for axis in self.axes]

    def _worst_slice(self, axis: Axis, squares: Tensor, rows: tuple[int, ...] | None) -> Error:
        found = _mean(squares, axis.axis).sqrt()
        allowed, scale = (_of_rows(one, axis.axis, rows) for one in (axis.mean_tolerance, axis.scale))
        worst = int((found / allowed.clamp(min=_TINY)).argmax())
        words = "all its values together" if axis.axis is None else f"slice {worst} along axis {axis.axis}"
        return _error(found.flatten()[worst], allowed.flatten()[worst], scale.flatten()[worst], None, words)


def tolerance_for(error: float, dtype: str) -> float:
    """How far from `exact` is still right, relative to the largest value, where the CPU's own error is `error`."""
    return max(CPU_ERROR_FACTOR * error, _floor(FLOORS, dtype))


def relative_error(got: Tensor, exact: Tensor) -> float:
    """The largest difference over the largest exact value; infinite where infinities or NaN are not in their places."""
    if exact.numel() == 0:
        return 0.0
    got, exact = got.detach().cpu().double(), exact.detach().cpu().double()
    finite = exact.isfinite()
    if _compare_patterns(got, exact, finite, "") is not None:
        return math.inf
    if not bool(finite.any()):
        return 0.0
    scale = exact[finite].abs().max().item()
    difference = (got[finite] - exact[finite]).abs().max().item()
    return difference / scale if scale > 0 else difference


def largest(values: Tensor, axis: int | None) -> Tensor:
    """Of each slice along an axis."""
    others = _other_axes(values, axis)
    return values.amax(dim=others, keepdim=True) if others else values


def root_mean_square(values: Tensor, axis: int | None) -> Tensor:
    """Of each slice along an axis."""
    return _mean(values.square(), axis).sqrt()


def _mean(values: Tensor, axis: int | None) -> Tensor:
    others = _other_axes(values, axis)
    return values.mean(dim=others, keepdim=True) if others else values


def _other_axes(values: Tensor, axis: int | None) -> tuple[int, ...]:
    return tuple(other for other in range(values.dim()) if other != axis)


def _of_rows(values: Tensor, axis: int | None, rows: tuple[int, ...] | None) -> Tensor:
    return values if rows is None or axis != 0 else values[list(rows)]


def _floor(floors: dict[str, float], dtype: str) -> float:
    return floors.get(dtype, floors["float32"])


def _compare_patterns(got: Tensor, exact: Tensor, finite: Tensor, dtype: str) -> Error | None:
    """Infinities and NaN must be where the exact answer has them (a mask is made of infinities)."""
    same = torch.where(finite, got.isfinite(), (got == exact) | (got.isnan() & exact.isnan()))
    if bool(same.all()):
        return None
    place = tuple(int(one) for one in (~same).nonzero()[0])
    value, wanted = got[place].item(), exact[place].item()
    if math.isfinite(wanted):
        words = f"its output is not finite in {dtype} ({value:g}) where the CPU's float64 answer is ({wanted:.3g})"
    else:
        words = f"its output is {value:.3g} where the CPU's float64 answer is {wanted:g}"
    return Error(math.inf, math.inf, 0.0, place, words)


def _at(values: Tensor, like: Tensor, place: tuple[int, ...]) -> Tensor:
    return values.expand_as(like)[place]


def _error(found: Tensor, allowed: Tensor, scale: Tensor, place: tuple[int, ...] | None, words: str = "") -> Error:
    error, tolerance, size = found.item(), allowed.item(), scale.item()
    share = 0.0 if error == 0 else error / tolerance if tolerance > 0 else math.inf
    return Error(share, error / size if size else error, tolerance / size if size else tolerance, place, words)
