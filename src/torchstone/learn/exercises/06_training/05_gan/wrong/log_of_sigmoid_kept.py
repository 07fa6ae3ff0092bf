# rejected by: sure_discriminators_are_finite: sigmoid then log overflows for large logits: binary
# log(sigmoid(x)) instead of logits, which becomes infinite where the discriminator is sure of itself
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    x = (real.detach() + 0).requires_grad_(True)
    logits = discriminator(x * 1)
    gradient = torch.autograd.grad(logits, x, torch.ones_like(logits), create_graph=True)[0]
    return gradient.pow(2).sum() / (2 * len(real))


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    made = generator(noise).detach()
    loss = functional.softplus(-discriminator(real)).mean() + functional.softplus(discriminator(made)).mean()
    loss = loss + penalty * gradient_penalty(discriminator, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    still = {name: p.detach() for name, p in discriminator.named_parameters()}
    logits = torch.func.functional_call(discriminator, still, (generator(noise),))
    loss = -torch.sigmoid(logits).log().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()
