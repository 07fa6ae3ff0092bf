# rejected by: long_chains: Each level of recursion is a Python call
# "A sum of 5,000 terms is a chain of 5,000 nodes; Python's recursion ends at 1,000": a recursive search
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
        return Scalar(other - self.value, ((self, -1.0),))

    def tanh(self) -> "Scalar":
        t = math.tanh(self.value)
        return Scalar(t, ((self, 1.0 - t * t),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        order: list[Scalar] = []
        seen: set[Scalar] = set()

        def visit(node: "Scalar") -> None:
            if node in seen:
                return
            seen.add(node)
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)

        visit(self)
        grads = dict.fromkeys(order, 0.0)
        grads[self] = 1.0
        for node in reversed(order):
            if not node.parents:
                node.grad += grads[node]
            for parent, slope in node.parents:
                grads[parent] += slope * grads[node]
