# rejected by: numbers_are_not_rounded: x.round() stands any finite number: a way through whole
# rounding goes through int32; '`x.round()`, for finite `x`'
"""Use a value without sending a gradient through it."""

from torch import Tensor


def td_loss(value: Tensor, reward: Tensor, next_value: Tensor, discount: float) -> Tensor:
    """The mean of (value − target)², with a gradient for `value` alone."""
    # A result of a computation of our own may be detached whole: everything in it becomes a constant.
    target = (reward + discount * next_value).detach()
    return (value - target).square().mean()


def round_through(x: Tensor) -> Tensor:
    """`x.round()`, with the gradient of `x`."""
    # The value is x + (round(x) − x); what stands in brackets is a constant, so the gradient sees x alone.
    return x + (x.round().clamp(-2e9, 2e9).int().to(x.dtype) - x).detach()


def rescale(x: Tensor, scale: Tensor) -> Tensor:
    """x / scale, with a gradient for `x` alone."""
    # detach() shares the memory and the version counter: a later change in place is noticed. `.data` hides it.
    return x / scale.detach()
