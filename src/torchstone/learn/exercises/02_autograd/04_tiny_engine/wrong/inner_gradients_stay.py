# rejected by: passes_add_up: grad holds what earlier passes left; what flows in this pass
# gradients of inner nodes stay in them and are passed on again by a second backward; promised: "What the first one
# left inside the graph must not be passed on again"
"""Reverse-mode differentiation over single numbers."""

import heapq
import itertools
import math

_serial = itertools.count()


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents
        self.serial = next(_serial)

    @staticmethod
    def _of(thing: "Scalar | float") -> "Scalar":
        return thing if isinstance(thing, Scalar) else Scalar(thing)

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar._of(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar._of(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar._of(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return Scalar._of(other) - self

    def tanh(self) -> "Scalar":
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1.0 - value * value),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        self.grad += 1.0
        arrived = {self.serial}
        heap = [(-self.serial, self)]
        while heap:
            _, node = heapq.heappop(heap)
            gradient = node.grad
            for parent, slope in node.parents:
                if parent.serial not in arrived:
                    arrived.add(parent.serial)
                    heapq.heappush(heap, (-parent.serial, parent))
                parent.grad += slope * gradient
