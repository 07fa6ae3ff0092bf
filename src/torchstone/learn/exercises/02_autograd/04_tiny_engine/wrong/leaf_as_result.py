# rejected by: a_leaf_is_a_result_too: The derivative of a leaf with respect to itself is 1, and it
# backward() of a leaf itself adds nothing; '`result.backward()` adds to the `grad` of every leaf … the derivative
# of `result` with respect to it, as torch does'
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
        return self + -other

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return -self + other

    def tanh(self) -> "Scalar":
        result = math.tanh(self.value)
        return Scalar(result, ((self, 1.0 - result * result),))

    def backward(self) -> None:
        """Add d(self)/d(node) to the `grad` of every leaf that `self` was computed from."""
        if not self.parents:
            return
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        arrived = {id(node): 0.0 for node in order}
        arrived[id(self)] = 1.0
        for node in reversed(order):
            gradient = arrived[id(node)]
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                arrived[id(parent)] += slope * gradient
