# rejected by: a_leaf_is_a_result_too: The derivative of a leaf with respect to itself is 1, and it
# backward() of a leaf does nothing; 'adds to the `grad` of every leaf (a Scalar that you made from a number) the
# derivative of `result` with respect to it, as torch does'
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
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1.0 - value * value),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        if not self.parents:
            return
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
