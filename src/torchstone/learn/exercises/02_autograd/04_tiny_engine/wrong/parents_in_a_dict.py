# rejected by: one_operation: Each operation's own derivative
# "A Scalar may be used many times: a * a": parents are keys of a dict, so the second use of the same one overwrites
# the first
import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents=()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = tuple(dict(parents).items())

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
        arrived = {id(self): 1.0}
        for node in self.order():
            gradient = arrived.pop(id(node), 0.0)
            if not node.parents:
                node.grad += gradient
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * gradient
