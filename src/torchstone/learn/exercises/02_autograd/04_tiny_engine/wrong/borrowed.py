# rejected by: values_are_right: what you are writing
"""Reverse-mode differentiation over single numbers."""

import torch


class Scalar:
    """A number that remembers what it was computed from."""

    def __init__(self, value) -> None:
        own = isinstance(value, torch.Tensor)
        self.inner = value if own else torch.tensor(float(value), dtype=torch.float64, requires_grad=True)

    @property
    def value(self) -> float:
        return self.inner.item()

    @property
    def grad(self) -> float:
        return 0.0 if self.inner.grad is None else self.inner.grad.item()

    def __add__(self, other) -> "Scalar":
        return Scalar(self.inner + getattr(other, "inner", other))

    def __mul__(self, other) -> "Scalar":
        return Scalar(self.inner * getattr(other, "inner", other))

    def __neg__(self) -> "Scalar":
        return self * -1

    def __sub__(self, other) -> "Scalar":
        return self + -1 * other

    def __rsub__(self, other) -> "Scalar":
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def tanh(self) -> "Scalar":
        return Scalar(self.inner.tanh())

    def backward(self) -> None:
        self.inner.backward(retain_graph=True)
