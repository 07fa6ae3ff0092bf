# earns: solved
# boolean indexing picks the real tokens, index_add brings them back to their answers
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    policy = chosen - rejected
    frozen = reference_chosen - reference_rejected
    return -logsigmoid(beta * (policy - frozen)).mean()


def _tokens(new: Tensor, old: Tensor, gain: Tensor, clip: float) -> Tensor:
    r = torch.exp(new - old)
    return torch.max(-r * gain, -torch.clamp(r, 1 - clip, 1 + clip) * gain)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    return _tokens(new[mask], old[mask], advantages[mask], clip).mean()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    spread = (rewards - rewards.mean(-1, keepdim=True)).square().mean(-1, keepdim=True).sqrt()
    gain = (rewards - rewards.mean(-1, keepdim=True)) / (spread + 1e-6)
    answer = torch.arange(rewards.numel(), device=rewards.device).view_as(rewards)[..., None].expand_as(mask)[mask]
    mine = new[mask]
    d = reference[mask] - mine
    costs = _tokens(mine, old[mask], gain.flatten()[answer], clip) + kl_weight * (torch.expm1(d) - d)
    sums = costs.new_zeros(rewards.numel()).index_add(0, answer, costs)
    return (sums / mask.flatten(0, 1).sum(1)).mean()
