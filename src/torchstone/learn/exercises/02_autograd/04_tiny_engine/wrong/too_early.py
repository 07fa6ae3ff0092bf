# rejected by: shared_nodes: A node that several others use must pass
# a node passes its gradient on when it is first reached, before all of it has arrived
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
        arrived = {id(self): 1.0}
        queue, seen = [self], {id(self)}
        for node in queue:
            if not node.parents:
                continue
            for parent, slope in node.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + slope * arrived[id(node)]
                if id(parent) not in seen:
                    seen.add(id(parent))
                    queue.append(parent)
        for node in queue:
            if not node.parents:
                node.grad += arrived[id(node)]
