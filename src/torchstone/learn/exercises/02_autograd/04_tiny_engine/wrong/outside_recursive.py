# rejected by: long_chains: Each level of recursion is a Python call
# "A sum of 5,000 terms is a chain of 5,000 nodes; Python's recursion ends at 1,000": recursive topological sort
"""Reverse-mode differentiation over single numbers."""

import math
from collections import Counter, deque


def _lift(thing: "Scalar | float") -> "Scalar":
    return thing if isinstance(thing, Scalar) else Scalar(thing)


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = _lift(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = _lift(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        other = _lift(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return _lift(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> "Scalar":
        t = math.tanh(self.value)
        return Scalar(t, ((self, 1.0 - t * t),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        users: Counter[int] = Counter()
        seen = {id(self)}

        def visit(node: "Scalar") -> None:
            for parent, _ in node.parents:
                users[id(parent)] += 1
                if id(parent) not in seen:
                    seen.add(id(parent))
                    visit(parent)

        visit(self)
        arrived = {id(self): 1.0}
        ready = deque([self])
        while ready:
            node = ready.popleft()
            gradient = arrived.pop(id(node))
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * gradient
                users[id(parent)] -= 1
                if not users[id(parent)]:
                    ready.append(parent)
