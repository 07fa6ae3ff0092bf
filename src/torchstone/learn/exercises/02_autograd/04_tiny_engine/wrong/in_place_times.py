# rejected by: operations_change_nothing: `total += x` is `total = total + x`: others may still use
# `total *= x` changes the Scalar; 'Each operation, `total += x` too, makes a new Scalar'
"""Reverse-mode differentiation over single numbers."""

import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        # Each parent with the derivative of this node with respect to it; a parent may be there twice.
        self.parents = parents

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = _as_scalar(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = _as_scalar(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        return self + -_as_scalar(other)

    def __rsub__(self, other: float) -> "Scalar":
        return _as_scalar(other) - self

    def __imul__(self, other):
        made = self * other
        self.value, self.parents = (
            made.value,
            tuple((p, s * _as_scalar(other).value) for p, s in self.parents) + ((_as_scalar(other), self.value),),
        )
        return self

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> "Scalar":
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1 - value**2),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        # What flows in this pass is kept apart from `grad`, where earlier passes have left theirs.
        arrived = {self: 1.0}
        for node in _users_first(self):
            node.grad += arrived[node]
            for parent, slope in node.parents:
                arrived[parent] = arrived.get(parent, 0.0) + slope * arrived[node]


def _as_scalar(number: Scalar | float) -> Scalar:
    return number if isinstance(number, Scalar) else Scalar(number)


def _users_first(result: Scalar) -> list[Scalar]:
    """Every node below `result`, after all of its users: depth first, with a stack instead of recursion."""
    order, seen, stack = [], set(), [(result, False)]
    while stack:
        node, parents_done = stack.pop()
        if parents_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((parent, False) for parent, _ in node.parents)
    return order[::-1]
