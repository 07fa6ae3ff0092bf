# earns: solved
# Scalars carry a serial number, and a heap takes the youngest first
import heapq
import itertools
import math

serial = itertools.count()


class Scalar:
    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents
        self.born = next(serial)

    def _binary(self, other, value, slopes):
        return Scalar(value, ((self, slopes[0]), (other, slopes[1])))

    def __add__(self, other):
        other = lift(other)
        return self._binary(other, self.value + other.value, (1.0, 1.0))

    def __sub__(self, other):
        other = lift(other)
        return self._binary(other, self.value - other.value, (1.0, -1.0))

    def __mul__(self, other):
        other = lift(other)
        return self._binary(other, self.value * other.value, (other.value, self.value))

    def __radd__(self, other):
        return lift(other) + self

    def __rsub__(self, other):
        return lift(other) - self

    def __rmul__(self, other):
        return lift(other) * self

    def __neg__(self):
        return Scalar(-self.value, ((self, -1.0),))

    def tanh(self):
        value = math.tanh(self.value)
        return Scalar(value, ((self, (1 - value) * (1 + value)),))

    def backward(self) -> None:
        heap = [(-self.born, self)]
        flow = {self.born: 1.0}
        while heap:
            _, node = heapq.heappop(heap)
            here = flow.pop(node.born)
            if not node.parents:
                node.grad += here
            for parent, slope in node.parents:
                if parent.born not in flow:
                    flow[parent.born] = 0.0
                    heapq.heappush(heap, (-parent.born, parent))
                flow[parent.born] += slope * here


def lift(number) -> Scalar:
    return number if isinstance(number, Scalar) else Scalar(number)
