"""Grades gan: both steps recomputed on copies in float64, and the other player's weights and gradients compared."""

import copy
import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_same,
    guard,
    in_place,
    looks_like,
)

PROMISES = {
    "What stood in the `.grad` of the one that moves must": "discriminator_moves_alone",
    'The discriminator gives one logit for each sample, `(n, 1)`; positive means "real".': None,
    "(Minus the discriminator's loss would be the same game, but": None,
    "and each holds all parameters of its network": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

RATE = 0.3


class Descent:
    """Plain gradient descent that remembers the gradients of its last step."""

    def __init__(self, net: nn.Module) -> None:
        self.parameters = list(net.parameters())
        self.steps = 0

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters:
            parameter.grad = None if set_to_none else torch.zeros_like(parameter)

    @torch.no_grad()
    def step(self) -> None:
        self.steps += 1
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=RATE)


def players(draw: Draw, size: int = 2) -> tuple[nn.Module, nn.Module]:
    generator = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, size)).to(draw.device)
    discriminator = nn.Sequential(nn.Linear(size, 6), nn.Tanh(), nn.Linear(6, 1)).to(draw.device)
    return generator, discriminator


def slope(discriminator: nn.Module, real: Tensor) -> Tensor:
    """The gradient of each logit in its own sample, one sample at a time."""
    rows = []
    for row in real:
        leaf = row[None].detach().clone().requires_grad_()
        rows.append(torch.autograd.grad(discriminator(leaf).sum(), leaf, create_graph=True)[0])
    return torch.cat(rows)


def penalty_of(discriminator: nn.Module, real: Tensor) -> Tensor:
    return 0.5 * slope(discriminator, real).square().flatten(1).sum(1).mean()


def judge(logits: Tensor, real: bool) -> Tensor:
    return functional.softplus(-logits if real else logits).mean()


def moved(net: nn.Module, loss: Tensor) -> list[Tensor]:
    """A net's weights after one step down this loss."""
    parameters = list(net.parameters())
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    pairs = zip(parameters, gradients, strict=True)
    return [(parameter - RATE * gradient).detach().float() for parameter, gradient in pairs]


def exact(*nets: nn.Module) -> list[nn.Module]:
    return [copy.deepcopy(net).cpu().double() for net in nets]


def expect_untouched(net: nn.Module, before: dict[str, Tensor], marks: list[Tensor], who: str) -> None:
    """Weights and gradients of the player whose turn it is not."""
    for name, value in net.state_dict().items():
        expect(torch.equal(value, before[name]), f"the {who}'s {name} has moved, and it was not its turn")
    kept = all(
        parameter.grad is not None and torch.equal(parameter.grad, mark)
        for parameter, mark in zip(net.parameters(), marks, strict=True)
    )
    teach = (
        "What the generator made is data here: make it under no_grad, or detach it."
        if who == "generator"
        else "The way leads through the discriminator, but only the generator collects: backward(inputs=…), or grad()."
    )
    expect(kept, f"gradients were left in the {who}", teach=teach)


def mark(net: nn.Module, draw: Draw, scale: float = 1.0) -> list[Tensor]:
    """Gradients that must still be there afterwards, or must not matter."""
    marks = [draw.normal(*parameter.shape, scale=scale) for parameter in net.parameters()]
    for parameter, value in zip(net.parameters(), marks, strict=True):
        parameter.grad = value.clone()
    return marks


def expect_moved(net: nn.Module, expected: list[Tensor], who: str, known: list, teach: str) -> None:
    for (name, parameter), want in zip(net.named_parameters(), expected, strict=True):
        expect_close(
            parameter.detach(), want, what=f"the {who}'s {name} after its step", diagnose=known, teach=teach, rtol=1e-3
        )


@check("solved")
def penalties_are_right(answer: Answer, draw: Draw) -> None:
    def reference(discriminator: nn.Module, real: Tensor) -> Tensor:
        return penalty_of(discriminator.double(), real.double()).detach().float()

    known = [
        looks_like(
            lambda d, x: slope(d, x).flatten(1).norm(dim=1).mean().detach() / 2,
            "That is the norm; the penalty takes its square.",
        ),
        looks_like(
            lambda d, x: slope(d, x).square().mean().detach() / 2, "Sum the squares over a sample, then average."
        ),
    ]
    for samples, size in ((1, 1), (3, 2), (5, 4)):
        _, discriminator = players(draw, size)
        real = draw.normal(samples, size, scale=2.0)

        def penalty(discriminator: nn.Module, real: Tensor) -> Tensor:
            return answer.gradient_penalty(discriminator, real).detach()

        expect_same(penalty, reference, discriminator, real, diagnose=known, rtol=1e-3)
    with torch.no_grad():
        discriminator[2].weight.mul_(300)
    steep = "A steep discriminator pays in full: the penalty has no bound."
    expect_same(penalty, reference, discriminator, real, teach=steep, rtol=1e-3)
    with torch.no_grad():
        discriminator[2].weight.zero_()
    flat = answer.gradient_penalty(discriminator, real)
    level = "Where the logit does not change there is nothing to pay, and no root to take: add nothing to the squares."
    expect(float(flat) < 1e-11, f"the penalty of a flat discriminator is {float(flat):.3g}, not 0", teach=level)
    if flat.requires_grad:
        slopes = torch.autograd.grad(flat, list(discriminator.parameters()), allow_unused=True, materialize_grads=True)
        finite = all(bool(one.isfinite().all()) for one in slopes)
        expect(finite, "the gradient of a flat discriminator's penalty is not finite", teach=level)
    images = draw.normal(2, 1, 2, 3)
    on_images = nn.Sequential(nn.Flatten(), nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 1)).to(draw.device)
    expect_same(penalty, reference, on_images, images, rtol=1e-3)


@check("solved")
def penalties_can_be_learned_from(answer: Answer, draw: Draw) -> None:
    teach = "A gradient is a constant unless create_graph=True: nothing could be learned from it."
    _, discriminator = players(draw)
    real = draw.normal(4, 2)
    (twin,) = exact(discriminator)
    expected = torch.autograd.grad(
        penalty_of(twin, real.cpu().double()), list(twin.parameters()), allow_unused=True, materialize_grads=True
    )
    penalty = guard(answer.gradient_penalty)(discriminator, real)
    expect(penalty.requires_grad, "the penalty has no graph", teach=teach)
    got = torch.autograd.grad(penalty, list(discriminator.parameters()), allow_unused=True, materialize_grads=True)
    for (name, _), mine, theirs in zip(discriminator.named_parameters(), got, expected, strict=True):
        expect_close(mine, theirs.float(), what=f"the penalty's gradient in {name}", teach=teach, rtol=1e-3)
    clean = all(parameter.grad is None for parameter in discriminator.parameters()) and not real.requires_grad
    expect(
        clean, "gradient_penalty left something in .grad or requires_grad", teach="Use torch.autograd.grad on a copy."
    )


@check("solved")
def discriminator_moves_alone(answer: Answer, draw: Draw) -> None:
    teach = "loss(real, 1) + loss(made, 0) + penalty · gradient_penalty; zero_grad, backward, step."
    for real_count, made_count, weight in ((1, 1, 0.0), (4, 4, 0.0), (4, 3, 0.7), (5, 2, 3.0), (70, 90, 5.0)):
        generator, discriminator = players(draw)
        real, noise = draw.normal(real_count, 2), draw.normal(made_count, 3)
        exact_generator, twin = exact(generator, discriminator)
        made = exact_generator(noise.cpu().double()).detach()
        loss = judge(twin(real.cpu().double()), True) + judge(twin(made), False)
        loss = loss + weight * penalty_of(twin, real.cpu().double())
        expected = moved(twin, loss)
        before, marks = copy.deepcopy(generator.state_dict()), mark(generator, draw)
        mark(discriminator, draw, math.inf if weight == 5.0 else 1.0)
        optimizer = Descent(discriminator)
        got = in_place(answer.discriminator_step, 1, 2)(generator, discriminator, optimizer, real, noise, weight)
        expect(optimizer.steps == 1, f"the optimizer took {optimizer.steps} steps instead of 1")
        expect_close(got, loss.detach().float(), what="the discriminator's loss", teach=teach, rtol=1e-3)
        expect(not got.requires_grad, "the loss that was returned hangs on its graph", teach="Return it detached.")
        expect_moved(discriminator, expected, "discriminator", [], teach)
        expect_untouched(generator, before, marks, "generator")


@check("solved")
def generator_moves_alone(answer: Answer, draw: Draw) -> None:
    teach = "loss(discriminator(generator(noise)), 1), and its gradient in the generator's weights."
    for count in (1, 4):
        generator, discriminator = players(draw)
        noise = draw.normal(count, 3)
        twin, judging = exact(generator, discriminator)
        logits = judging(twin(noise.cpu().double()))
        loss = judge(logits, True)
        expected = moved(twin, loss)
        saturating = looks_like(
            lambda: (-judge(logits, False)).detach().float(),  # noqa: B023
            "That is minus the discriminator's loss: its gradient vanishes where made samples are easy to spot.",
        )
        before, marks = copy.deepcopy(discriminator.state_dict()), mark(discriminator, draw)
        mark(generator, draw, math.inf if count == 4 else 1.0)
        optimizer = Descent(generator)
        start = [parameter.detach().clone() for parameter in generator.parameters()]
        got = in_place(answer.generator_step, 0, 2)(generator, discriminator, optimizer, noise)
        expect_close(
            got, loss.detach().float(), what="the generator's loss", diagnose=[saturating], teach=teach, rtol=1e-3
        )
        expect(not got.requires_grad, "the loss that was returned hangs on its graph", teach="Return it detached.")
        still = all(torch.equal(a, b) for a, b in zip(start, generator.parameters(), strict=True))
        expect(
            not still,
            "the generator has not moved",
            teach="Here nothing may be detached: the generator learns through the discriminator's eyes.",
        )
        expect_moved(generator, expected, "generator", [], teach)
        expect_untouched(discriminator, before, marks, "discriminator")
        switched = all(parameter.requires_grad for parameter in discriminator.parameters())
        expect(switched, "the discriminator's requires_grad was switched off and left off")


@check("solved")
def frozen_weights_stay_frozen(answer: Answer, draw: Draw) -> None:
    generator, discriminator = players(draw)
    noise, real = draw.normal(3, 3), draw.normal(3, 2)
    next(discriminator.parameters()).requires_grad_(False)
    in_place(answer.generator_step, 0, 2)(generator, discriminator, Descent(generator), noise)
    discriminator.requires_grad_()
    next(generator.parameters()).requires_grad_(False)
    in_place(answer.discriminator_step, 1, 2)(generator, discriminator, Descent(discriminator), real, noise, 0.5)


@check("solved")
def modes_stay(answer: Answer, draw: Draw) -> None:
    """In whichever mode a network came, and each of its layers: who puts them all into one mode has changed them."""
    for training in (False, True):
        nets = generator, discriminator = players(draw)
        for net in nets:
            net.train(training)[1].train(not training)
        before = [[module.training for module in net.modules()] for net in nets]
        noise, real = draw.normal(3, 3), draw.normal(3, 2)
        in_place(answer.generator_step, 0, 2)(generator, discriminator, Descent(generator), noise)
        in_place(answer.discriminator_step, 1, 2)(generator, discriminator, Descent(discriminator), real, noise, 0.5)
        after = [[module.training for module in net.modules()] for net in nets]
        expect(after == before, "a network's modes are not what they were", teach="Leave train and eval mode alone.")


@check("solved")
def sure_discriminators_are_finite(answer: Answer, draw: Draw) -> None:
    teach = "sigmoid then log overflows for large logits: binary_cross_entropy_with_logits does both in one."
    for far in (200.0, 1e5):
        generator, discriminator = players(draw)
        with torch.no_grad():
            discriminator[2].weight.zero_()
            discriminator[2].bias.fill_(-far)
        noise, real, loss = draw.normal(2, 3), draw.normal(2, 2), torch.tensor(far)
        got = in_place(answer.generator_step, 0, 2)(generator, discriminator, Descent(generator), noise)
        expect_close(got, loss, what=f"the generator's loss where every logit is −{far:g}", teach=teach)
        step = in_place(answer.discriminator_step, 1, 2)
        got = step(generator, discriminator, Descent(discriminator), real, noise, 0.0)
        expect_close(got, loss, what=f"the discriminator's loss where every logit is −{far:g}", teach=teach)
