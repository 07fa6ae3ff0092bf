# earns: solved
# every node has a number that grows; a heap gives the youngest first
import heapq
import itertools
import math


_numbers = itertools.count()


class Scalar:
    """Parents are always older than their children, so youngest first is a right order."""

    def __init__(self, value: float, parents: tuple = ()) -> None:
        self.value, self.grad, self.parents = value, 0.0, parents
        self.number = next(_numbers)

    def __mul__(self, other):
        if not isinstance(other, Scalar):
            return Scalar(self.value * other, ((self, float(other)),))
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    def __add__(self, other):
        if not isinstance(other, Scalar):
            return Scalar(self.value + other, ((self, 1.0),))
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def tanh(self):
        value = math.tanh(self.value)
        return Scalar(value, ((self, (1 - value) * (1 + value)),))

    def backward(self) -> None:
        waiting, sums, nodes = [-self.number], {self.number: 1.0}, {self.number: self}
        while waiting:
            number = -heapq.heappop(waiting)
            node, gradient = nodes.pop(number), sums.pop(number)
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                if parent.number not in nodes:
                    nodes[parent.number], sums[parent.number] = parent, 0.0
                    heapq.heappush(waiting, -parent.number)
                sums[parent.number] += gradient * slope
