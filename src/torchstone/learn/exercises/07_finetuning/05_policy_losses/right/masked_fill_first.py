# earns: solved
# masked_fill before anything is computed, weights of 1 / length in one dot product
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    policy = chosen - rejected
    frozen = (reference_chosen - reference_rejected).detach()
    scaled = beta * (policy - frozen)
    return torch.logaddexp(torch.zeros_like(scaled), -scaled).mean()


def _clean(tensor: Tensor, mask: Tensor) -> Tensor:
    return tensor.masked_fill(~mask, 0.0)


def _surrogate(log_ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = log_ratio.exp()
    bounded = torch.clamp(ratio, 1.0 - clip, 1.0 + clip)
    return -torch.min(torch.stack([ratio * advantages, bounded * advantages]), dim=0).values


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    log_ratio = _clean(new, mask) - _clean(old, mask).detach()
    cost = _surrogate(log_ratio, _clean(advantages, mask).detach(), clip)
    weights = mask.to(cost.dtype) / mask.sum()
    return (weights * cost).sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    policy = _clean(new, mask)
    constants = [_clean(t, mask).detach() for t in (old, reference)]
    variance, mean = torch.var_mean(rewards.detach(), dim=1, correction=0, keepdim=True)
    advantages = (rewards.detach() - mean) / (variance.sqrt() + 1e-6)
    cost = _surrogate(policy - constants[0], advantages.unsqueeze(-1), clip)
    d = constants[1] - policy
    cost = cost + kl_weight * (d.exp() - d - 1.0)
    weights = mask.to(cost.dtype) / mask.sum(-1, keepdim=True) / rewards.numel()
    return torch.sum(weights * cost)
