# rejected by: padding_does_not_matter: inf · 0 is NaN, in the gradient too: fil
# grpo: d is taken before the padded places are filled; the loss is right, but an inf at a padded place of the
# reference makes the gradient NaN ('padded places do not matter here either')
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return functional.softplus(-beta * margin).mean()


def _cost(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    ratio = (new - old).exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (x.masked_fill(~mask, 0) for x in (new, old, advantages))
    return _cost(new, old, advantages, clip).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    d = reference - new
    new, old = (x.masked_fill(~mask, 0) for x in (new, old))
    centred = rewards - rewards.mean(1, keepdim=True)
    advantages = centred / (rewards.std(1, correction=0, keepdim=True) + 1e-6)
    cost = _cost(new, old, advantages[..., None], clip) + kl_weight * (d.exp() - d - 1)
    cost = cost.masked_fill(~mask, 0)
    return (cost.sum(-1) / mask.sum(-1)).mean()
