# earns: solved
# logsigmoid, and backward with inputs=
"""One step for each player of a generative adversarial game."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def learners(net: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in net.parameters() if parameter.requires_grad]


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""
    point = real.detach().clone().requires_grad_()
    logits = discriminator(point)
    (slopes,) = torch.autograd.grad(logits.sum(), point, create_graph=True)
    return 0.5 * slopes.square().sum() / len(real)


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""
    with torch.no_grad():
        made = generator(noise)
    right = -functional.logsigmoid(discriminator(real)).mean()
    wrong = -functional.logsigmoid(-discriminator(made)).mean()
    loss = right + wrong + penalty * gradient_penalty(discriminator, real)
    optimizer.zero_grad()
    loss.backward(inputs=learners(discriminator))
    optimizer.step()
    return loss.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""
    loss = -functional.logsigmoid(discriminator(generator(noise))).mean()
    optimizer.zero_grad()
    loss.backward(inputs=learners(generator))
    optimizer.step()
    return loss.detach()
