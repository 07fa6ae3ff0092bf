# rejected by: passes_add_up: grad holds what earlier passes left
# the grads of inner nodes are kept and passed on again by the second backward(); 'What the first one left inside
# the graph must not be passed on again' (c = a * 2; d = c * 3; d.backward() twice: 24 and not 12)
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

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return (-self) + other

    def tanh(self) -> "Scalar":
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1 - value**2),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        self.grad += 1.0
        for node in reversed(order):
            for parent, slope in node.parents:
                parent.grad += slope * node.grad
