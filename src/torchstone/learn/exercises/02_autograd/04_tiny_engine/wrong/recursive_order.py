# rejected by: long_chains: Each level of recursion is a Python call
# "A sum of 5,000 terms is a chain of 5,000 nodes; Python's recursion ends at 1,000": the order is found by recursion
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

    def backward(self) -> None:
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for parent, _ in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        arrived = {id(self): 1.0}
        for node in reversed(order):
            gradient = arrived.get(id(node), 0.0)
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * gradient
