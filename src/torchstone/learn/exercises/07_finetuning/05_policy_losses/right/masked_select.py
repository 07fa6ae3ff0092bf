# earns: solved
# boolean selection for PPO, where for GRPO
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return -functional.logsigmoid(beta * margin).mean()


def _cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    return _cost(new[mask], old[mask], advantages[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    mean = rewards.mean(1, keepdim=True)
    deviation = rewards.std(1, keepdim=True, correction=0)
    advantages = ((rewards - mean) / (deviation + 1e-6))[..., None]
    new = torch.where(mask, new, 0)
    old = torch.where(mask, old, 0)
    reference = torch.where(mask, reference, 0)
    difference = reference - new
    cost = _cost(new, old, advantages, clip) + kl_weight * (difference.exp() - difference - 1)
    per_answer = torch.where(mask, cost, 0).sum(2) / mask.sum(2)
    return per_answer.mean()
