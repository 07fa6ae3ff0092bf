# rejected by: discriminator_moves_alone: loss(real, 1) + loss(made, 0) + penalty
# "What stood in the `.grad` of the one that moves must not matter": the discriminator's old gradients are added to
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def entropy(logits: Tensor, target: float) -> Tensor:
    """The mean binary cross-entropy with one target for all."""
    return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    real = real.detach().requires_grad_()
    (slope,) = torch.autograd.grad(discriminator(real).sum(), real, create_graph=True)
    return slope.flatten(1).square().sum(1).mean() / 2


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    loss = entropy(discriminator(real), 1.0) + entropy(discriminator(made), 0.0)
    loss = loss + penalty * gradient_penalty(discriminator, real)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    optimizer.zero_grad()
    loss = entropy(discriminator(generator(noise)), 1.0)
    loss.backward(inputs=[weight for weight in generator.parameters() if weight.requires_grad])
    optimizer.step()
    return loss.detach()
