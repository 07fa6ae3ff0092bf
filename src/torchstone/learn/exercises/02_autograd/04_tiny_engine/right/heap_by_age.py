# earns: solved
# every Scalar has a number by age, and a heap gives the youngest first
"""Reverse-mode differentiation over single numbers."""

import heapq
import itertools
import math

AGES = itertools.count()


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.age = next(AGES)
        # Each parent with the derivative of this node with respect to it.
        self.parents = parents

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        other = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other: float) -> "Scalar":
        return Scalar(other) - self

    def tanh(self) -> "Scalar":
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1.0 - value * value),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        sums: dict[int, float] = {self.age: 1.0}
        heap: list[tuple[int, Scalar]] = [(-self.age, self)]
        while heap:
            _, node = heapq.heappop(heap)
            total = sums.pop(node.age)
            if not node.parents:
                node.grad += total
                continue
            for parent, slope in node.parents:
                if parent.age not in sums:
                    sums[parent.age] = 0.0
                    heapq.heappush(heap, (-parent.age, parent))
                sums[parent.age] += slope * total
