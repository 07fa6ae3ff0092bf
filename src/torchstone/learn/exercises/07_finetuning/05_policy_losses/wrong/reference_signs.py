# rejected by: dpo_is_right: the result of dpo_loss is
# 'm = (chosen − reference_chosen) − (rejected − reference_rejected)': the reference's difference is added instead of
# subtracted
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    margin = (chosen - rejected) + (reference_chosen - reference_rejected).detach()
    return -functional.logsigmoid(beta * margin).mean()


def _cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    new = torch.where(mask, new, 0)
    old = torch.where(mask, old.detach(), 0)
    advantages = torch.where(mask, advantages.detach(), 0)
    cost = torch.where(mask, _cost(new, old, advantages, clip), 0)
    return cost.sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    new = torch.where(mask, new, 0)
    old = torch.where(mask, old.detach(), 0)
    reference = torch.where(mask, reference.detach(), 0)
    rewards = rewards.detach()
    centred = rewards - rewards.mean(1, keepdim=True)
    advantages = centred / (rewards.std(1, correction=0, keepdim=True) + 1e-6)
    d = reference - new
    cost = _cost(new, old, advantages[..., None], clip) + kl_weight * (d.exp() - d - 1)
    cost = torch.where(mask, cost, 0)
    return (cost.sum(-1) / mask.sum(-1)).mean()
