# earns: solved
# log-sigmoids for the losses, gradients by autograd.grad put in place by hand
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    points = real.detach().clone().requires_grad_(True)
    logits = discriminator(points)
    slope = torch.autograd.grad(logits, points, grad_outputs=torch.ones_like(logits), create_graph=True)[0]
    return 0.5 * (slope * slope).sum() / len(real)


def _move(player: nn.Module, optimizer: Any, loss: Tensor) -> Tensor:
    movable = [one for one in player.parameters() if one.requires_grad]
    slopes = torch.autograd.grad(loss, movable, allow_unused=True)
    optimizer.zero_grad()
    for one, slope in zip(movable, slopes, strict=True):
        one.grad = slope
    optimizer.step()
    return loss.detach()


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    loss = -functional.logsigmoid(discriminator(real)).mean()
    loss = loss - functional.logsigmoid(-discriminator(made)).mean()
    return _move(discriminator, optimizer, loss + penalty * gradient_penalty(discriminator, real))


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    return _move(generator, optimizer, -functional.logsigmoid(discriminator(generator(noise))).mean())
