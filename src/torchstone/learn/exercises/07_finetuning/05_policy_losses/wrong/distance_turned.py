# rejected by: grpo_is_right: The distance has its sign turned round
# "with d = reference − new": d is new − reference
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


def clipped(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """What each token costs."""
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (torch.where(mask, tensor, 0) for tensor in (new, old, advantages))
    cost = clipped(new, old, advantages, clip)
    return (cost * mask).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    spread = rewards.std(1, correction=0, keepdim=True)
    advantages = (rewards - rewards.mean(1, keepdim=True)) / (spread + 1e-6)
    new, old, reference = (torch.where(mask, tensor, 0) for tensor in (new, old, reference))
    distance = new - reference
    cost = clipped(new, old, advantages[..., None], clip) + kl_weight * (distance.exp() - distance - 1)
    return ((cost * mask).sum(-1) / mask.sum(-1)).mean()
