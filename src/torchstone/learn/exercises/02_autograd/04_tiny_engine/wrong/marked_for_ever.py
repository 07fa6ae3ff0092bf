# rejected by: passes_add_up: grad holds what earlier passes left
# "A second backward(), from the same or another result, adds": nodes remember that they were visited, and a second
# walk skips them
import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents
        self.visited = False

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
        result, stack = [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                result.append(node)
            elif not node.visited:
                node.visited = True
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        arrived = {id(self): 1.0}
        for node in reversed(result):
            gradient = arrived.get(id(node), 0.0)
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * gradient
