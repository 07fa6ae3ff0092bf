# earns: solved
# only the real tokens are taken out; answers are summed by index_add
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
    return clipped(new[mask], old[mask], advantages[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    spread = rewards.std(1, correction=0, keepdim=True)
    advantages = (rewards - rewards.mean(1, keepdim=True)) / (spread + 1e-6)
    answer = mask.flatten(0, 1).nonzero()[:, 0]
    lengths = mask.flatten(0, 1).sum(1).to(new.dtype)
    distance = reference[mask] - new[mask]
    cost = clipped(new[mask], old[mask], advantages.flatten()[answer], clip)
    cost = cost + kl_weight * (torch.expm1(distance) - distance)
    return torch.zeros_like(lengths).index_add(0, answer, cost / lengths[answer]).mean()
