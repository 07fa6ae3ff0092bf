# earns: solved
# the discriminator called with detached weights, BCE with logits against ones and zeros
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import binary_cross_entropy_with_logits


def _cost(logits: Tensor, target: float) -> Tensor:
    return binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    sample = real.clone().detach()
    sample.requires_grad = True
    logits = discriminator(sample)
    slope = torch.autograd.grad(logits, sample, grad_outputs=torch.ones_like(logits), create_graph=True)[0]
    return 0.5 * (slope**2).flatten(1).sum(1).mean()


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    optimizer.zero_grad()
    made = generator(noise).detach()
    loss = _cost(discriminator(real), 1.0) + _cost(discriminator(made), 0.0)
    loss = loss + penalty * gradient_penalty(discriminator, real)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    optimizer.zero_grad()
    constants = {name: weight.detach() for name, weight in discriminator.named_parameters()}
    loss = _cost(functional_call(discriminator, constants, (generator(noise),)), 1.0)
    loss.backward()
    optimizer.step()
    return loss.detach()
