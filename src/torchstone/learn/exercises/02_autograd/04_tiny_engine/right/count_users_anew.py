# earns: solved
# users are counted first; a node is ready when all of them have reported; backward steps are closures
"""Reverse-mode differentiation over single numbers."""

import math
from collections import defaultdict
from collections.abc import Callable


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(
        self, value: float, parents: tuple["Scalar", ...] = (), pull: "Callable[[float], tuple] | None" = None
    ) -> None:
        self.value = value
        self.grad = 0.0
        self._parents = parents
        self._pull = pull

    def __add__(self, other: "Scalar | float") -> "Scalar":
        if isinstance(other, Scalar):
            return Scalar(self.value + other.value, (self, other), lambda grad: (grad, grad))
        return Scalar(self.value + other, (self,), lambda grad: (grad,))

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        a = self.value
        if isinstance(other, Scalar):
            b = other.value
            return Scalar(a * b, (self, other), lambda grad: (grad * b, grad * a))
        return Scalar(a * other, (self,), lambda grad: (grad * other,))

    def __neg__(self) -> "Scalar":
        return self * -1.0

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        return self + -other

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return -self + other

    def __radd__(self, other: float) -> "Scalar":
        return self + other

    def __rmul__(self, other: float) -> "Scalar":
        return self * other

    def tanh(self) -> "Scalar":
        y = math.tanh(self.value)
        return Scalar(y, (self,), lambda grad: (grad * (1.0 - y * y),))

    def backward(self) -> None:
        """Add d(self)/d(leaf) to the `grad` of every leaf that `self` was computed from."""
        users: dict[Scalar, int] = defaultdict(int)
        todo, known = [self], {self}
        while todo:
            for parent in todo.pop()._parents:
                users[parent] += 1
                if parent not in known:
                    known.add(parent)
                    todo.append(parent)
        arrived: dict[Scalar, float] = defaultdict(float)
        arrived[self] = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            grad = arrived.pop(node)
            if node._pull is None:
                node.grad += grad
                continue
            for parent, part in zip(node._parents, node._pull(grad), strict=True):
                arrived[parent] += part
                users[parent] -= 1
                if users[parent] == 0:
                    ready.append(parent)
