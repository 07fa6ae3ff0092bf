# rejected by: nothing_is_held_within_bounds: r = exp(new − old) is what it is, however far new
# the logarithm of the ratio is cut to ±5; 'With the ratio r = exp(new − old) a token costs −min(r · A, …)'
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return torch.logaddexp(torch.zeros_like(margin), -beta * margin).mean()


def clipped_cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """What each token costs."""
    ratio = torch.exp((new - old).clamp(-5, 5))
    return torch.maximum(-ratio * advantages, -ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (each.masked_fill(~mask, 0) for each in (new, old, advantages))
    return clipped_cost(new, old, advantages, clip).masked_fill(~mask, 0).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    new, old, reference = (each.masked_fill(~mask, 0) for each in (new, old, reference))
    centred = rewards - rewards.mean(1, keepdim=True)
    advantages = centred / (centred.square().mean(1, keepdim=True).sqrt() + 1e-6)
    cost = clipped_cost(new, old, advantages[..., None].expand_as(new), clip)
    d = reference - new
    cost = (cost + kl_weight * (torch.exp(d) - d - 1)).masked_fill(~mask, 0)
    return (cost.sum(-1) / mask.sum(-1)).mean()
