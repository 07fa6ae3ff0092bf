# earns: solved
# autograd.grad for the parameters of the one that moves, put into .grad by hand; softplus for the cross-entropy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""

    with torch.enable_grad():
        samples = real.detach().clone()
        samples.requires_grad_(True)
        logits = discriminator(samples)
        slope = torch.autograd.grad(logits, samples, torch.ones_like(logits), create_graph=True)[0]
    squares = (slope * slope).reshape(len(real), -1).sum(dim=1)
    return squares.mean() / 2


def move(net: nn.Module, optimizer: Any, loss: Tensor) -> Tensor:
    """One step of `net` alone."""
    optimizer.zero_grad()
    weights = [one for one in net.parameters() if one.requires_grad]
    for weight, gradient in zip(weights, torch.autograd.grad(loss, weights, allow_unused=True)):
        if gradient is not None:
            weight.grad = gradient.detach()
    optimizer.step()
    return loss.detach()


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""

    made = generator(noise).detach()
    loss = functional.softplus(-discriminator(real.detach())).mean() + functional.softplus(discriminator(made)).mean()
    return move(discriminator, optimizer, loss + penalty * gradient_penalty(discriminator, real))


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""

    return move(generator, optimizer, functional.softplus(-discriminator(generator(noise))).mean())
