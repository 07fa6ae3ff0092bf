# rejected by: dpo_bears_large_margins: sigmoid(−1,000) is 0, and its log −inf: logsigmoid (or softplus of the negative)
# margins count up to 10,000; 'the loss is the mean of −log σ(beta · m)'
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional

SMALLEST_DEVIATION = 1e-6
"""In a group whose answers all got the same reward the deviation is 0, and there is nothing to learn."""


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    # log(sigmoid(x)) is log(0) for a very negative x, where logsigmoid is simply x.
    return -functional.logsigmoid((beta * margin).clamp(-1e4, 1e4)).mean()


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (tensor.masked_fill(~mask, 0) for tensor in (new, old, advantages))
    return _clipped_cost(new, old, advantages, clip).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    # Filled before exp: inf at a padded place would be NaN in the gradient, even behind a mask.
    new, old, reference = (tensor.masked_fill(~mask, 0) for tensor in (new, old, reference))
    centered = rewards - rewards.mean(-1, keepdim=True)
    deviation = rewards.std(-1, correction=0, keepdim=True)
    advantages = (centered / (deviation + SMALLEST_DEVIATION))[..., None] * mask
    distance = (reference - new).exp() - (reference - new) - 1
    cost = _clipped_cost(new, old, advantages, clip) + kl_weight * distance
    return (cost.sum(-1) / mask.sum(-1)).mean()


def _clipped_cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    # The minimum keeps the pessimistic side: clipping takes away the reward for going too far, never the penalty.
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
