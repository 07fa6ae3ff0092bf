# earns: solved
# each Scalar has a serial number; a heap hands out the youngest first
"""Reverse-mode differentiation over single numbers."""

import heapq
import itertools
import math

serials = itertools.count()


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        # Each parent with the derivative of this node with respect to it.
        self.parents = parents
        self.serial = next(serials)

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
        return Scalar(other - self.value, ((self, -1.0),))

    def tanh(self) -> "Scalar":
        t = math.tanh(self.value)
        return Scalar(t, ((self, 1.0 - t * t),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        arrived = {self.serial: 1.0}
        nodes = {self.serial: self}
        queue = [-self.serial]
        while queue:
            serial = -heapq.heappop(queue)
            node, gradient = nodes.pop(serial), arrived.pop(serial)
            if node.parents == ():
                node.grad += gradient
                continue
            for parent, slope in node.parents:
                if parent.serial not in nodes:
                    nodes[parent.serial] = parent
                    arrived[parent.serial] = 0.0
                    heapq.heappush(queue, -parent.serial)
                arrived[parent.serial] += slope * gradient
