# rejected by: operations_change_nothing: others may still use what total was
# total += x changes the Scalar itself, and whoever else holds it
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

    def __iadd__(self, other: "Scalar | float") -> "Scalar":
        before = Scalar(self.value, self.parents)
        result = before + other
        self.value, self.parents = result.value, result.parents
        return self

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
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        arrived = {id(node): 0.0 for node in order}
        arrived[id(self)] = 1.0
        for node in reversed(order):
            grad = arrived[id(node)]
            if not node.parents:
                node.grad += grad
            for parent, slope in node.parents:
                arrived[id(parent)] += slope * grad
