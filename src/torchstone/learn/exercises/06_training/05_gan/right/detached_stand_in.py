# earns: solved
# the generator plays against a stand-in with detached weights, by functional_call
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional


def entropy(logits: Tensor, target: float) -> Tensor:
    """The mean binary cross-entropy with one target for all."""
    return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    real = real.detach().requires_grad_()
    logits = discriminator(real)
    slope = torch.autograd.grad(logits, real, torch.ones_like(logits), create_graph=True)[0]
    return torch.sum(slope * slope) / (2 * len(real))


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    made = generator(noise).detach()
    optimizer.zero_grad()
    loss = entropy(discriminator(real), 1.0) + entropy(discriminator(made), 0.0)
    loss = loss + penalty * gradient_penalty(discriminator, real)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    optimizer.zero_grad()
    fixed = {name: weight.detach() for name, weight in discriminator.named_parameters()}
    loss = entropy(functional_call(discriminator, fixed, (generator(noise),)), 1.0)
    loss.backward()
    optimizer.step()
    return loss.detach()
