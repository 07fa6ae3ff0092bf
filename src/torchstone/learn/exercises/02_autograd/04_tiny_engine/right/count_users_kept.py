# earns: solved
# a node goes on when the last of its users has been counted down
import math


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value: float, parents: tuple[tuple["Scalar", float], ...] = ()) -> None:
        self.value = value
        self.grad = 0.0
        self.parents = parents

    @staticmethod
    def wrap(other: "Scalar | float") -> "Scalar":
        return other if isinstance(other, Scalar) else Scalar(other)

    def __add__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar.wrap(other)
        return Scalar(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __mul__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar.wrap(other)
        return Scalar(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __neg__(self) -> "Scalar":
        return Scalar(-self.value, ((self, -1.0),))

    def __sub__(self, other: "Scalar | float") -> "Scalar":
        other = Scalar.wrap(other)
        return Scalar(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other: "Scalar | float") -> "Scalar":
        return Scalar.wrap(other) - self

    def tanh(self) -> "Scalar":
        result = math.tanh(self.value)
        return Scalar(result, ((self, 1.0 - result * result),))

    def backward(self) -> None:
        users = {self: 0}
        waiting = [self]
        while waiting:
            node = waiting.pop()
            for parent, _ in node.parents:
                if parent not in users:
                    users[parent] = 0
                    waiting.append(parent)
                users[parent] += 1
        arrived = dict.fromkeys(users, 0.0)
        arrived[self] = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            grad = arrived.pop(node)
            if not node.parents:
                node.grad += grad
                continue
            for parent, slope in node.parents:
                arrived[parent] += slope * grad
                users[parent] -= 1
                if users[parent] == 0:
                    ready.append(parent)
