# earns: solved
# only the real tokens are picked by the mask; index_add for the sums of each answer; logaddexp
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = chosen - reference_chosen - (rejected - reference_rejected)
    return torch.logaddexp(torch.zeros_like(margin), -beta * margin).mean()


def _costs(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = torch.exp(new - old)
    return torch.maximum(-ratio * advantages, -torch.clamp(ratio, 1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    real = mask.bool()
    return _costs(new[real], old[real], advantages[real], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    real = mask.bool()
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    deviation = centered.square().mean(dim=1, keepdim=True).sqrt()
    advantages = (centered / (deviation + 1e-6)).flatten()
    answer = real.flatten(0, 1).nonzero()[:, 0]
    tokens = new[real]
    d = reference[real] - tokens
    costs = _costs(tokens, old[real], advantages[answer], clip) + kl_weight * (torch.expm1(d) - d)
    sums = torch.zeros_like(advantages, dtype=costs.dtype).index_add(0, answer, costs)
    return (sums / torch.bincount(answer, minlength=len(advantages))).mean()
