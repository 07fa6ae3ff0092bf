# rejected by: shared_nodes: A node that several others use must pass on its gradient once
# nodes pass their gradient on in the order in which they are found, before all of it has arrived; 'once, when all
# of it has arrived' (b = a * 2; (b + b * 3).backward(): a.grad is 2 and not 8)
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
        order, seen, queue = [], {id(self)}, [self]
        while queue:
            node = queue.pop(0)
            order.append(node)
            for parent, _ in node.parents:
                if id(parent) not in seen:
                    seen.add(id(parent))
                    queue.append(parent)
        grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            if not node.parents:
                node.grad += grads[id(node)]
            for parent, slope in node.parents:
                grads[id(parent)] += slope * grads[id(node)]
