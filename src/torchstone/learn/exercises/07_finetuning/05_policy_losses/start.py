"""The losses of DPO, PPO and GRPO, from log-probabilities."""

import torch
from torch import Tensor


def dpo_loss(
    chosen: Tensor, rejected: Tensor, reference_chosen: Tensor, reference_rejected: Tensor, beta: float
) -> Tensor:
    """Mean of −log σ(beta · margin) over the pairs."""
    # TODO: this forgets the reference, and it breaks at a margin of −1,000
    return -torch.sigmoid(beta * (chosen - rejected)).log().mean()


def ppo_loss(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Mean of the clipped cost over the tokens where `mask` is true."""
    # TODO
    raise NotImplementedError("ppo_loss")


def grpo_loss(
    new: Tensor, old: Tensor, reference: Tensor, rewards: Tensor, mask: Tensor, clip: float, kl_weight: float
) -> Tensor:
    """Mean over answers of the mean over their tokens of clipped cost and distance to the reference."""
    # TODO
    raise NotImplementedError("grpo_loss")
