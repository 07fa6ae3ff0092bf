# earns: solved
# Kahn's algorithm: a node goes on when the last of its users has reported
import math
from collections import Counter, deque


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Scalar) else Scalar(other)

    def __add__(self, other):
        other = self.wrap(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __mul__(self, other):
        other = self.wrap(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __neg__(self):
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = self.wrap(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return self.wrap(other) - self

    def tanh(self):
        value = math.tanh(self.value)
        return Scalar(value, ((self, 1 - value * value),))

    def backward(self) -> None:
        users, seen, stack = Counter(), {id(self)}, [self]
        while stack:
            for parent, _ in stack.pop().parents:
                users[id(parent)] += 1
                if id(parent) not in seen:
                    seen.add(id(parent))
                    stack.append(parent)
        arrived, ready = Counter({id(self): 1.0}), deque([self])
        while ready:
            node = ready.popleft()
            gradient = arrived[id(node)]
            if not node.parents:
                node.grad += gradient
                continue
            for parent, slope in node.parents:
                arrived[id(parent)] += slope * gradient
                users[id(parent)] -= 1
                if users[id(parent)] == 0:
                    ready.append(parent)
