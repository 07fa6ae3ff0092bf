# earns: solved
# differences are filled with 0 at padding; softplus; maximum of the costs
"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor
from torch.nn import functional


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return functional.softplus(-beta * margin, threshold=50).mean()


def clipped(new: Tensor, old: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """What each token costs."""
    ratio = torch.exp(new - old)
    near = torch.clamp(ratio, min=1 - clip, max=1 + clip)
    return torch.maximum(-advantages * ratio, -advantages * near)


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    new, old, advantages = (tensor.masked_fill(~mask, 0.0) for tensor in (new, old, advantages))
    cost = clipped(new, old, advantages, clip)
    return cost.sum() / mask.count_nonzero()


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    centred = rewards - rewards.mean(dim=1, keepdim=True)
    spread = centred.square().mean(dim=1, keepdim=True).sqrt()
    advantages = centred / (spread + 1e-6)
    new, old, reference = (tensor.masked_fill(~mask, 0.0) for tensor in (new, old, reference))
    shares = mask.to(new.dtype) / mask.sum(dim=-1, keepdim=True)
    distance = reference - new
    cost = clipped(new, old, advantages[..., None], clip) + kl_weight * (distance.exp() - distance - 1)
    return torch.einsum("gst,gst->", cost, shares) / rewards.numel()
