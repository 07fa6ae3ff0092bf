# earns: solved
# users are counted first, and a node passes on when the last of them has paid
"""Reverse-mode differentiation over single numbers."""

import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
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
        return self + (-other)

    def __rsub__(self, other: float) -> "Scalar":
        return (-self) + other

    def tanh(self) -> "Scalar":
        t = math.tanh(self.value)
        return Scalar(t, ((self, 1.0 - t * t),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        waiting: dict[int, int] = {id(self): 0}
        todo = [self]
        while todo:
            for parent, _ in todo.pop().parents:
                if id(parent) not in waiting:
                    waiting[id(parent)] = 0
                    todo.append(parent)
                waiting[id(parent)] += 1
        total = {key: 0.0 for key in waiting}
        total[id(self)] = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            gradient = total[id(node)]
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                total[id(parent)] += gradient * slope
                waiting[id(parent)] -= 1
                if waiting[id(parent)] == 0:
                    ready.append(parent)
