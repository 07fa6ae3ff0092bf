# earns: solved
# losses by logsigmoid; gradients by autograd.grad, put in place by hand
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def move(network: nn.Module, optimizer: Any, loss: Tensor) -> Tensor:
    """One step of the optimizer with the gradients of this network alone."""
    weights = [weight for weight in network.parameters() if weight.requires_grad]
    optimizer.zero_grad()
    for weight, gradient in zip(weights, torch.autograd.grad(loss, weights, allow_unused=True)):
        weight.grad = gradient
    optimizer.step()
    return loss.detach()


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
    right = functional.logsigmoid(discriminator(real)).mean() + functional.logsigmoid(-discriminator(made)).mean()
    return move(discriminator, optimizer, penalty * gradient_penalty(discriminator, real) - right)


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    return move(generator, optimizer, -functional.logsigmoid(discriminator(generator(noise))).mean())
