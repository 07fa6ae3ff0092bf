# rejected by: passes_add_up: grad holds what earlier passes left
# "What the first one left inside the graph must not be passed on again": inner nodes keep their grad, and a second
# backward() passes it on
import math


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

    def order(self):
        """All nodes, each one after its users."""
        done, result, stack = set(), [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                result.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        return result[::-1]

    def backward(self) -> None:
        self.grad += 1.0
        for node in self.order():
            for parent, slope in node.parents:
                parent.grad += slope * node.grad
