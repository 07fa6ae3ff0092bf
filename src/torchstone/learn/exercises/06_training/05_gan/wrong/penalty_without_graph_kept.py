# rejected by: penalties_can_be_learned_from: graph=True: nothing could be learned from it
# the penalty has no graph, so the discriminator cannot learn from it
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    samples = real.detach().clone().requires_grad_()
    logits = discriminator(samples.clone())
    (slope,) = torch.autograd.grad(logits.sum(), samples)
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
    loss.backward(inputs=[p for p in generator.parameters() if p.requires_grad])
    optimizer.step()
    return loss.detach()
