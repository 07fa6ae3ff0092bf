# rejected by: grpo_is_right: of grpo_loss
# "d = reference − new": the other way round
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn.functional import softplus


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return softplus(-beta * margin).mean()


def _cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return torch.maximum(-ratio * advantages, -ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    mask = mask.bool()
    return _cost(new[mask], old[mask], advantages[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    mask = mask.bool().flatten(0, 1)
    centred = rewards - rewards.mean(1, keepdim=True)
    advantages = (centred / (centred.square().mean(1, keepdim=True).sqrt() + 1e-6)).flatten()
    answer, _ = mask.nonzero(as_tuple=True)
    new, old, reference = (one.flatten(0, 1)[mask] for one in (new, old, reference))
    gap = new - reference
    cost = _cost(new, old, advantages[answer], clip) + kl_weight * (torch.expm1(gap) - gap)
    per_answer = torch.zeros_like(advantages, dtype=cost.dtype).index_add(0, answer, cost)
    return (per_answer / mask.sum(1)).mean()
