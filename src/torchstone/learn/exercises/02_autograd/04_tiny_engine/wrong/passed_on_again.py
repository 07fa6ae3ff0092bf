# rejected by: passes_add_up: what flows in this pass must start from
# gradients stay in the graph and a second backward passes the first one on again
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
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        self.grad += 1.0
        for node in reversed(order):
            for parent, slope in node.parents:
                parent.grad += slope * node.grad
