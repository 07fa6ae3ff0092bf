# earns: solved
# softplus, cut-off by the sign of the advantage, GRPO as a weighted sum over the tokens that count
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    log_ratio_chosen = chosen - reference_chosen
    log_ratio_rejected = rejected - reference_rejected
    return functional.softplus(beta * (log_ratio_rejected - log_ratio_chosen)).mean()


def _token_cost(new: Tensor, old: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """A good token is cut off above, a bad one below."""
    ratio = torch.exp(new - old)
    held = torch.where(advantage >= 0, ratio.clamp(max=1 + clip), ratio.clamp(min=1 - clip))
    return -held * advantage


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (part.masked_fill(~mask, 0.0) for part in (new, old, advantages))
    return _token_cost(new, old, advantages, clip).masked_fill(~mask, 0.0).sum() / mask.sum()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    centred = rewards - rewards.mean(-1, keepdim=True)
    spread = centred.square().mean(-1, keepdim=True).sqrt() + 1e-6
    group, answer, token = mask.nonzero(as_tuple=True)
    share = 1 / mask.sum(-1).to(new.dtype) / rewards.numel()
    here = (group, answer, token)
    advantage = (centred / spread)[group, answer]
    distance = reference[here] - new[here]
    cost = _token_cost(new[here], old[here], advantage, clip) + kl_weight * (distance.expm1() - distance)
    return torch.dot(cost, share[group, answer])
