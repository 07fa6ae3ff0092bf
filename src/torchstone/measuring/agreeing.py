"""Do two calls that are compared give the same answer? Who is faster at something else is not faster.

Of each call two answers are looked at, its first and a later one, so that a call whose answers change (random numbers,
a counter) is not taken for one that is wrong. Of large tensors evenly spaced values are kept, on the CPU: a call may
write its next answer into the same memory. No judge of correctness (that is `correctness`): neither of the two is known
to be right, so it only tells what no rounding explains.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

ALIKE = "alike"
MOST_VALUES = 1 << 18
"""Of a tensor, that are compared."""
TOLERANCES = {"float64": 1e-6, "float32": 1e-3, "complex128": 1e-6, "complex64": 1e-3, "float16": 0.05}
"""Of the largest value; of what is narrower still, `NARROW`."""
NARROW = 0.125
ANSWERS = 2
"""Of each call."""


@dataclass(frozen=True)
class Leaf:
    """A tensor of an answer, or another value."""

    shape: tuple[int, ...]
    dtype: str
    values: Any
    """A tensor on the CPU, or the value itself."""


@dataclass
class Answers:
    """What the two calls gave, by their names in the contest."""

    names: dict[str, str]
    _seen: dict[str, list[list[Leaf] | str]] = field(default_factory=dict)

    def take(self, key: str, output: Any) -> None:
        """Keep the answer of a call, if it is one of its first."""
        seen = self._seen.setdefault(key, [])
        if len(seen) < ANSWERS:
            seen.append(_leaves(output))

    def words(self) -> str:
        """`alike`, or a sentence."""
        if len(self._seen) < len(self.names):
            return "their answers were not compared: one of them gave none"
        for key, seen in self._seen.items():
            reason = next((one for one in seen if isinstance(one, str)), None)
            if reason is not None:
                return f"their answers were not compared: {self.names[key]} {reason}"
        if self._explain(_explain_shapes) is not None:
            return f"they give different answers: {self._explain(_explain_shapes)}"
        for key, seen in self._seen.items():
            if len(seen) == ANSWERS and _explain_difference(seen[0], seen[1]) is not None:
                return f"their answers were not compared: those of {self.names[key]} change from call to call"
        difference = self._explain(_explain_difference)
        return ALIKE if difference is None else f"they give different answers: {difference}"

    def _explain(self, explain: Callable[[Any, Any], str | None]) -> str | None:
        """How the first answers of the two differ, in that respect."""
        first, second = (self._seen[key][0] for key in self.names)
        return explain(first, second)


def _leaves(output: Any) -> list[Leaf] | str:
    """What can be compared of an answer; or why nothing can."""
    import torch
    from torch.utils._pytree import tree_leaves

    leaves = []
    for one in tree_leaves(dict(output) if isinstance(output, dict) else output):
        if isinstance(one, torch.Tensor):
            try:
                leaves.append(_leaf_of(one))
            except Exception as error:  # a device may refuse anything, and a sparse tensor has no strides
                return f"gives a tensor that can't be looked at ({type(error).__name__})"
        elif isinstance(one, bool | int | float | complex | str):
            leaves.append(Leaf((), "str" if isinstance(one, str) else "number", one))
        elif one is not None:
            return f"gives a {type(one).__name__}"
    return leaves or "returns nothing"


def _leaf_of(tensor: "Tensor") -> Leaf:
    flat = tensor.detach().flatten()
    step = max(1, -(-flat.numel() // MOST_VALUES))
    return Leaf(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), flat[::step].cpu().clone())


def _explain_shapes(a: list[Leaf], b: list[Leaf]) -> str | None:
    if len(a) != len(b):
        return f"{len(a)} values against {len(b)}"
    return next(
        (
            f"shape {one.shape} against {other.shape}"
            for one, other in zip(a, b, strict=True)
            if one.shape != other.shape
        ),
        None,
    )


def _explain_difference(a: Any, b: Any) -> str | None:
    return _explain_shapes(a, b) or next((why for why in map(_explain_leaf, a, b) if why is not None), None)


def _explain_leaf(a: Leaf, b: Leaf) -> str | None:
    import torch

    if "str" in (a.dtype, b.dtype):
        return None if a.values == b.values else "another string"
    tolerances = [_tolerance(one) for one in (a, b)]
    first, second = (torch.as_tensor(one.values).reshape(-1).to(torch.complex128) for one in (a, b))
    finite = torch.isfinite(first)
    if not torch.equal(finite, torch.isfinite(second)):
        return "NaN or infinity in one of them only"
    if not finite.any():
        return None
    largest = float(first[finite].abs().max())
    off = float((first[finite] - second[finite]).abs().max())
    if off <= max(tolerances) * largest:
        return None
    return f"values that are {off:.3g} apart, where the largest of the first is {largest:.3g}"


def _tolerance(leaf: Leaf) -> float:
    """Of the largest value, that rounding may explain; none for whole numbers."""
    if leaf.dtype == "number":
        return 0.0 if isinstance(leaf.values, int) else TOLERANCES["float64"]
    if leaf.values.is_floating_point() or leaf.values.is_complex():
        return TOLERANCES.get(leaf.dtype, NARROW)
    return 0.0
