# rejected by: shared_nodes: A node that several others use must pass on its gradient
# nodes are visited breadth first and pass on what has arrived so far; what comes later over a longer way is lost;
# promised: "a node passes its gradient on *once*, when all of it has arrived"
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
        arrived = {self.serial: 1.0}
        queue = [self]
        for node in queue:
            for parent, slope in node.parents:
                if parent.serial not in arrived:
                    arrived[parent.serial] = 0.0
                    queue.append(parent)
                arrived[parent.serial] += slope * arrived[node.serial]
        for node in queue:
            if not node.parents:
                node.grad += arrived[node.serial]
