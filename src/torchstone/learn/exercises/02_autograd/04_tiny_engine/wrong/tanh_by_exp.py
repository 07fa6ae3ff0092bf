# rejected by: tanh_stands_large_numbers: math.tanh stands any number; exp(2x) overflows near 355.
# exp overflows for numbers above 355; '`x.tanh()` works too'
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
        other = other if isinstance(other, Scalar) else Scalar(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other: float) -> "Scalar":
        return Scalar(other) - self

    def tanh(self) -> "Scalar":
        power = math.exp(2.0 * self.value)
        value = (power - 1.0) / (power + 1.0)
        return Scalar(value, ((self, 1.0 - value * value),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        users = {self: 0}
        stack = [self]
        while stack:
            for parent, _ in stack.pop().parents:
                if parent not in users:
                    users[parent] = 0
                    stack.append(parent)
                users[parent] += 1
        arrived = dict.fromkeys(users, 0.0)
        arrived[self] = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            if not node.parents:
                node.grad += arrived[node]
            for parent, slope in node.parents:
                arrived[parent] += slope * arrived[node]
                users[parent] -= 1
                if users[parent] == 0:
                    ready.append(parent)
