# earns: solved
# every node has a serial number; a heap gives the youngest first
"""Reverse-mode differentiation over single numbers."""

import heapq
import math
from itertools import count

_serials = count()


class Scalar:
    """A number that remembers what it was computed from."""

    __slots__ = ("value", "grad", "parents", "serial")

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value, self.grad, self.parents, self.serial = value, 0.0, parents, next(_serials)

    @staticmethod
    def _of(thing: "Scalar | float") -> "Scalar":
        return thing if isinstance(thing, Scalar) else Scalar(thing)

    def __add__(self, other):
        other = Scalar._of(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __radd__(self, other):
        return Scalar._of(other) + self

    def __sub__(self, other):
        other = Scalar._of(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Scalar._of(other) - self

    def __mul__(self, other):
        other = Scalar._of(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    def __rmul__(self, other):
        return Scalar._of(other) * self

    def __neg__(self):
        return Scalar(-self.value, ((self, -1.0),))

    def tanh(self):
        height = math.tanh(self.value)
        return Scalar(height, ((self, 1.0 - height * height),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        waiting = {self.serial: (self, 1.0)}
        heap = [-self.serial]
        while heap:
            node, arrived = waiting.pop(-heapq.heappop(heap))
            if not node.parents:
                node.grad += arrived
            for parent, slope in node.parents:
                if parent.serial in waiting:
                    waiting[parent.serial] = (parent, waiting[parent.serial][1] + slope * arrived)
                else:
                    waiting[parent.serial] = (parent, slope * arrived)
                    heapq.heappush(heap, -parent.serial)
