# rejected by: ppo_is_right: the result of ppo_loss is
# takes the smaller ratio and then times A; breaks min(r · A, clamp(r) · A) where A is negative: r = 2, A = −1 costs
# 1.2 instead of 2
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return functional.softplus(-beta * margin).mean()


def _cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return -torch.minimum(ratio, ratio.clamp(1 - clip, 1 + clip)) * advantages


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (x.masked_fill(~mask, 0) for x in (new, old, advantages))
    return _cost(new, old, advantages, clip).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    new, old, reference = (x.masked_fill(~mask, 0) for x in (new, old, reference))
    centred = rewards - rewards.mean(1, keepdim=True)
    advantages = centred / (rewards.std(1, correction=0, keepdim=True) + 1e-6)
    d = reference - new
    cost = _cost(new, old, advantages[..., None], clip) + kl_weight * (d.exp() - d - 1)
    cost = cost.masked_fill(~mask, 0)
    return (cost.sum(-1) / mask.sum(-1)).mean()
