# earns: solved
# cross-entropies as softplus, gradients by autograd.grad with the parameters as inputs
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    samples = real.detach().clone().requires_grad_()
    (slope,) = torch.autograd.grad(discriminator(samples).sum(), samples, create_graph=True)
    return slope.flatten(1).square().sum(1).mean() / 2


def _step(module: nn.Module, optimizer: Any, loss: Tensor) -> Tensor:
    optimizer.zero_grad()
    players = [p for p in module.parameters() if p.requires_grad]
    for p, g in zip(players, torch.autograd.grad(loss, players, allow_unused=True), strict=True):
        p.grad = g
    optimizer.step()
    return loss.detach()


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    loss = functional.softplus(-discriminator(real)).mean() + functional.softplus(discriminator(made)).mean()
    return _step(discriminator, optimizer, loss + penalty * gradient_penalty(discriminator, real))


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    return _step(generator, optimizer, functional.softplus(-discriminator(generator(noise))).mean())
