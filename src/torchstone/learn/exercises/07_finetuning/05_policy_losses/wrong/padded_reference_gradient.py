# rejected by: padding_does_not_matter: inf · 0 is NaN, in the gradient too: fill the padded places with something
# an infinite reference at a padded place gives a NaN gradient in GRPO; 'padded places do not matter here either'
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
    new, old = new.where(mask, 0), old.where(mask, 0)
    advantages = advantages.where(mask, 0)
    return (_cost(new, old, advantages, clip) * mask).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    deviation = rewards.std(1, correction=0, keepdim=True)
    advantages = ((rewards - rewards.mean(1, keepdim=True)) / (deviation + 1e-6))[..., None]
    safe, old = new.where(mask, 0), old.where(mask, 0)
    d = reference - new
    cost = _cost(safe, old, advantages, clip) + kl_weight * (d.exp() - d - 1)
    return (cost.where(mask, 0).sum(-1) / mask.sum(-1)).mean()
