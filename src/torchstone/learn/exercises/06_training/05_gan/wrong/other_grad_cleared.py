# rejected by: generator_moves_alone: What has gathered in .grad is the caller's,
# the generator's step runs backward through the discriminator and then clears its gradients, so what stood in its
# .grad is lost
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    samples = real.detach().clone().requires_grad_()
    logits = discriminator(samples.clone())
    (slope,) = torch.autograd.grad(logits.sum(), samples, create_graph=True)
    return 0.5 * slope.flatten(1).square().sum(1).mean()


def _cross_entropy(logits: Tensor, target: float) -> Tensor:
    return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    optimizer.zero_grad()
    loss = _cross_entropy(discriminator(real), 1.0) + _cross_entropy(discriminator(made), 0.0)
    loss = loss + penalty * gradient_penalty(discriminator, real)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    optimizer.zero_grad()
    loss = _cross_entropy(discriminator(generator(noise)), 1.0)
    loss.backward()
    discriminator.zero_grad()
    optimizer.step()
    return loss.detach()
