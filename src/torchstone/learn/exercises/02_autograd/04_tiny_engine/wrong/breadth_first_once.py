# rejected by: shared_nodes: A node that several others use must pass on its gradient once
# "when all of it has arrived": breadth first passes a node on when it is first reached, and later arrivals are lost
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
        arrived, queue, seen = {id(self): 1.0}, [self], {id(self)}
        for node in queue:
            gradient = arrived[id(node)]
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * gradient
                if id(parent) not in seen:
                    seen.add(id(parent))
                    queue.append(parent)
        for node in queue:
            if not node.parents:
                node.grad += arrived[id(node)]
