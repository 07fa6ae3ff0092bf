# earns: solved
# boolean indexing picks the real tokens first; softplus for DPO; index_add to bring tokens back to answers
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    with torch.no_grad():
        offset = reference_chosen - reference_rejected
    return functional.softplus(-beta * (chosen - rejected - offset)).mean()


def token_costs(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = torch.exp(new - old)
    plain = -ratio * advantages
    clipped = -ratio.clamp(min=1 - clip, max=1 + clip) * advantages
    return torch.maximum(plain, clipped)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    mask = mask.bool()
    return token_costs(new[mask], old.detach()[mask], advantages.detach()[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    mask = mask.bool()
    groups, size, tokens = new.shape
    with torch.no_grad():
        mean = rewards.mean(dim=1, keepdim=True)
        spread = (rewards - mean).square().mean(dim=1, keepdim=True).sqrt()
        advantages = ((rewards - mean) / (spread + 1e-6)).reshape(-1)
    owner = torch.arange(groups * size, device=new.device).view(groups, size, 1).expand_as(mask)[mask]
    mine = new[mask]
    d = reference.detach()[mask] - mine
    cost = token_costs(mine, old.detach()[mask], advantages[owner].to(mine.dtype), clip)
    cost = cost + kl_weight * (torch.expm1(d) - d)
    lengths = mask.flatten(0, 1).sum(1)
    sums = cost.new_zeros(groups * size).index_add(0, owner, cost)
    return (sums / lengths).mean()
