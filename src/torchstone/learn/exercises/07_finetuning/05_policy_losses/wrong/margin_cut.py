# rejected by: dpo_bears_large_margins: sigmoid(−1,000) is 0, and its log −inf: logsigmoid (or softplus of the
# beta · margin is cut at −500, below which there is no gradient; 'Margins of −1,000 must still have a gradient.'
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return torch.logaddexp(torch.zeros_like(margin), (-beta * margin).clamp(max=500)).mean()


def clipped_cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """What each token costs."""
    ratio = torch.exp(new - old)
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
