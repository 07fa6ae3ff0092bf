# earns: solved
# picks the true tokens first, then weighs them
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


def token_cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return torch.maximum(-ratio * advantages, -ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    return token_cost(new[mask], old[mask], advantages[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    centered = rewards - rewards.mean(1, keepdim=True)
    advantages = centered / (centered.square().mean(1, keepdim=True).sqrt() + 1e-6)
    advantages = advantages[..., None].expand_as(new)[mask]
    weights = (1 / mask.sum(-1, keepdim=True)).to(new.dtype).expand_as(new)[mask] / rewards.numel()
    d = reference[mask] - new[mask]
    cost = token_cost(new[mask], old[mask], advantages, clip) + kl_weight * (d.exp() - d - 1)
    return (cost * weights).sum()
