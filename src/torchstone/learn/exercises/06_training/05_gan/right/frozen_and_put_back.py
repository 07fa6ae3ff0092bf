# earns: solved
# the discriminator's switches are noted, turned off and put back; BCEWithLogitsLoss as an object
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from contextlib import contextmanager


@contextmanager
def frozen(net: nn.Module):
    """Its parameters need no gradient inside."""
    before = [(one, one.requires_grad) for one in net.parameters()]
    try:
        for one, _ in before:
            one.requires_grad_(False)
        yield
    finally:
        for one, flag in before:
            one.requires_grad_(flag)


def game(logits: Tensor, target: float) -> Tensor:
    return nn.BCEWithLogitsLoss()(logits, torch.full_like(logits, target))


def gradient_penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
    """Half the mean squared norm of the logit's gradient in each real sample."""

    point = real.detach().clone().requires_grad_(True)
    total = discriminator(point).sum()
    (slope,) = torch.autograd.grad([total], [point], create_graph=True)
    return torch.einsum("ni,ni->n", slope.flatten(1), slope.flatten(1)).mul(0.5).mean()


def discriminator_step(
    generator: nn.Module, discriminator: nn.Module, optimizer: Any, real: Tensor, noise: Tensor, penalty: float
) -> Tensor:
    """Move the discriminator: real samples up, made ones down, its slope at the real ones flat."""

    with torch.no_grad():
        made = generator(noise)
    optimizer.zero_grad()
    terms = [
        game(discriminator(real.detach()), 1.0),
        game(discriminator(made), 0.0),
        penalty * gradient_penalty(discriminator, real),
    ]
    total = torch.stack(terms).sum()
    total.backward()
    optimizer.step()
    return total.detach()


def generator_step(generator: nn.Module, discriminator: nn.Module, optimizer: Any, noise: Tensor) -> Tensor:
    """Move the generator so that the discriminator takes its samples for real."""

    optimizer.zero_grad()
    with frozen(discriminator):
        loss = game(discriminator(generator(noise)), 1.0)
        loss.backward()
    optimizer.step()
    return loss.detach().clone()
