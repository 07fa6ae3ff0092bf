# rejected by: penalties_are_right: the result of penalty is
# for samples of more than one axis the norm is taken over the first alone; 'is half of the mean, over the samples, of
# the squared norm of the logit's gradient in the sample'
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    sample = real.detach().requires_grad_()
    (slope,) = torch.autograd.grad(discriminator(sample).sum(), sample, create_graph=True)
    return slope.square().sum(1).mean() / 2


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    up, down = discriminator(real), discriminator(made)
    loss = functional.binary_cross_entropy_with_logits(up, torch.ones_like(up))
    loss = loss + functional.binary_cross_entropy_with_logits(down, torch.zeros_like(down))
    loss = loss + penalty * gradient_penalty(discriminator, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    logits = discriminator(generator(noise))
    loss = functional.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))
    optimizer.zero_grad()
    loss.backward(inputs=[one for one in generator.parameters() if one.requires_grad])
    optimizer.step()
    return loss.detach()
