# rejected by: discriminator_moves_alone: zero_grad, backward, step
# old gradients are multiplied by 0, and an old inf remains; 'What stood in the `.grad` of the one that moves must not
# matter'
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    samples = real.detach().clone().requires_grad_()
    # create_graph: the penalty is itself differentiated, in the weights.
    (gradient,) = torch.autograd.grad(discriminator(samples).sum(), samples, create_graph=True)
    return gradient.square().flatten(1).sum(1).mean() / 2


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    # The generator has no part in this step, so its graph is not even built.
    with torch.no_grad():
        made = generator(noise)
    loss = _against(discriminator(real), 1.0) + _against(discriminator(made), 0.0)
    loss = loss + penalty * gradient_penalty(discriminator, real)
    for one in discriminator.parameters():
        if one.grad is not None:
            one.grad.mul_(0)
    loss.backward()
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    loss = _against(discriminator(generator(noise)), 1.0)
    optimizer.zero_grad()
    # Through the discriminator, but into the generator only: backward() would fill the .grad of both.
    loss.backward(inputs=list(generator.parameters()))
    optimizer.step()
    return loss.detach()


def _against(logits: Tensor, target: float) -> Tensor:
    """Mean binary cross-entropy of logits whose targets are all the same."""
    return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))
