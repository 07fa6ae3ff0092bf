# rejected by: penalties_are_right: the result of penalty is
# the norm goes over the channels only and the mean over all places; 'half of the mean, over the samples, of the
# squared norm of the logit's gradient in the sample'
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    samples = real.detach().requires_grad_()
    (slope,) = torch.autograd.grad(discriminator(samples).sum(), samples, create_graph=True)
    return slope.square().sum(1).mean() / 2


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    optimizer.zero_grad()
    loss = -functional.logsigmoid(discriminator(real)).mean() - functional.logsigmoid(-discriminator(made)).mean()
    loss = loss + penalty * gradient_penalty(discriminator, real)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    optimizer.zero_grad()
    loss = -functional.logsigmoid(discriminator(generator(noise))).mean()
    loss.backward(inputs=[weight for weight in generator.parameters() if weight.requires_grad])
    optimizer.step()
    return loss.detach()
