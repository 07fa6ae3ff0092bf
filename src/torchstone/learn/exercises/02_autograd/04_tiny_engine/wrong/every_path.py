# rejected by: work_stays_small: visit each node once
"""Reverse-mode differentiation over single numbers."""

import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        # Each parent with the derivative of this node with respect to it; a parent may be there twice.
        self.parents = parents

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = _as_scalar(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = _as_scalar(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        return self + -_as_scalar(other)

    def __rsub__(self, other: float) -> "Scalar":
        return _as_scalar(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> "Scalar":
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1 - value**2),))

    def backward(self) -> None:
        """Add d(self)/d(node) to the `grad` of every node that `self` was computed from."""
        stack = [(self, 1.0)]
        while stack:
            node, flowing = stack.pop()
            node.grad += flowing
            stack.extend((parent, slope * flowing) for parent, slope in node.parents)


def _as_scalar(number: Scalar | float) -> Scalar:
    return number if isinstance(number, Scalar) else Scalar(number)
