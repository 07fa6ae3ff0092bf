"""Grades deep_init: the spread of every layer's weights within chance, then a signal sent through 30 layers."""

import functools
import itertools
import math

import torch
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, fail, in_place, only_values_change, save_picture

PROMISES = {
    "If each layer passes on half of the variance, a": None,
    "`torch.nn.init` may be used.": None,
    "Nothing else changes: the same Parameter objects stay in place, with their": "numbers_change_in_place",
    "A Linear may have no bias.": "numbers_change_in_place",
    "One activation object may stand after several layers (`for module": "weights_have_the_right_spread",
    "The picture shows the spread in each layer, yours above PyTorch's default.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

DEPTH, WIDTH = 30, 48
SIGMAS = 6.0
"""How many standard errors a measured spread may be off: by chance once in 500 million."""
SLOPES = (0.05, 0.9, 2.0, -0.7)
ACTIVATIONS = (nn.Identity, nn.ReLU, nn.Tanh, *(functools.partial(nn.LeakyReLU, slope) for slope in SLOPES))
FAR_OUT = 3.3
"""In standard deviations: of 25,600 normal numbers 25 lie farther out, and none with a chance of e⁻²⁵."""
SHAPES = ((24, 96), (96, 24), (40, 60), (1, 700))
WIDTHS = [8, 24, 96, 24, 40, 60, 1, 700]
"""A stack with a layer of each of these shapes."""


def gain_of(activation: nn.Module) -> float:
    if isinstance(activation, nn.Tanh):
        return 5 / 3
    kept = {nn.Identity: 1.0, nn.ReLU: 0.0}.get(type(activation), getattr(activation, "negative_slope", 0.0))
    return math.sqrt(2 / (1 + kept**2))


def stack_of(draw: Draw, widths: list[int], activations: list[nn.Module]) -> nn.Sequential:
    """Linear layers with what people find in them: PyTorch's default weights."""
    torch.default_generator.manual_seed(draw.integer(0, 2**31))
    layers = [nn.Linear(n, m) for n, m in itertools.pairwise(widths)]
    pairs = zip(layers, activations, strict=True)
    return nn.Sequential(*(module for pair in pairs for module in pair)).to(draw.device)


def named(activation: nn.Module) -> str:
    slope = getattr(activation, "negative_slope", None)
    return type(activation).__name__ + ("" if slope is None else f"({slope})")


@check("solved")
def weights_have_the_right_spread(answer: Answer, draw: Draw) -> None:
    for make in ACTIVATIONS:
        # Another activation before most of them: only the one that follows counts.
        activations = [make() if pair in SHAPES else nn.Tanh() for pair in itertools.pairwise(WIDTHS)]
        stack = stack_of(draw, WIDTHS, activations)
        in_place(answer.init_stack)(stack)
        for layer, activation, pair in zip(stack[::2], activations, itertools.pairwise(WIDTHS), strict=True):
            if pair in SHAPES:
                expect_spread(layer, activation, *pair)
    # One activation object after every layer, as people write it.
    shared = nn.ReLU()
    stack = stack_of(draw, [40, 60, 60], [shared, shared])
    in_place(answer.init_stack)(stack)
    expect_spread(stack[0], shared, 40, 60)
    expect_spread(stack[2], shared, 60, 60)
    twins = stack_of(draw, [16, 16, 16], [nn.Tanh(), nn.Tanh()])
    in_place(answer.init_stack)(twins)
    same = torch.equal(twins[0].weight, twins[2].weight)
    expect(not same, "two layers of one shape got the same weights", teach="Draw for each layer anew.")


def expect_spread(layer: nn.Linear, activation: nn.Module, inputs: int, outputs: int) -> None:
    weight = layer.weight.detach().cpu().double()
    got, gain = weight.square().mean().sqrt().item(), gain_of(activation)
    wanted = gain / math.sqrt(inputs)
    near = SIGMAS / math.sqrt(2 * weight.numel())
    if abs(got / wanted - 1) <= near:
        return
    guesses = [
        (
            gain / math.sqrt(outputs),
            "Each output is a sum over the inputs: the number of inputs counts, not of outputs.",
        ),
        (
            1 / math.sqrt(inputs),
            "That keeps a straight signal. A ReLU throws away half of the mean square: make up for it.",
        ),
        (math.sqrt(2 / (1 + 1e-4)) / math.sqrt(inputs), "A LeakyReLU brings its own slope: gain² = 2 / (1 + slope²)."),
        (wanted**2, "That is the variance; a normal distribution wants its root, the standard deviation."),
    ]
    teach = "std = gain / √(number of inputs), with the gain of the activation after the layer."
    # The nearest, within the same chance as above: a narrower band would miss one in some hundred.
    off, value = min((abs(got / value - 1), value) for value, _ in guesses)
    fail(
        f"Linear({inputs}, {outputs}) before {named(activation)}: the weights' standard deviation is {got:.4f} "
        f"and should be {wanted:.4f}, give or take {wanted * near:.4f}",
        teach=dict(guesses)[value] if off <= near else teach,
    )


@check("solved")
def biases_are_zero(answer: Answer, draw: Draw) -> None:
    stack = stack_of(draw, [4, 5, 3], [nn.ReLU(), nn.Tanh()])
    in_place(answer.init_stack)(stack)
    for layer in stack[::2]:
        largest = layer.bias.abs().max().item()
        expect(largest == 0, f"a bias of {largest:.3g} is left", teach="Biases become 0: they add to the mean square.")


@check("solved")
def weights_are_normal(answer: Answer, draw: Draw) -> None:
    first, again = (stack_of(draw, [64, 64], [nn.ReLU()]) for _ in range(2))
    in_place(answer.init_stack)(first)
    in_place(answer.init_stack)(again)
    weight = first[0].weight.detach().cpu().double()
    same = torch.equal(weight, again[0].weight.detach().cpu().double())
    expect(not same, "two stacks got the same weights", teach="Every call draws new numbers: leave the seed alone.")
    off = abs(weight.mean().item()) / (weight.std().item() / math.sqrt(weight.numel()))
    expect(off < SIGMAS, f"the weights' mean is {weight.mean():.3g}, not 0", teach="The mean of the weights is 0.")
    # Kurtosis: 3 for a normal distribution, 1.8 for a uniform one; with 4,096 weights its standard error is 0.08.
    kurtosis = (weight - weight.mean()).pow(4).mean().item() / weight.var().item() ** 2
    expect(
        2.4 < kurtosis < 4.2,
        f"the weights' fourth moment is {kurtosis:.2f} and a normal distribution has 3",
        teach="The task asks for weights from a normal distribution; 1.8 would be a uniform one.",
    )
    wide = stack_of(draw, [160, 160], [nn.ReLU()])
    in_place(answer.init_stack)(wide)
    weight = wide[0].weight.detach().cpu().double()
    farthest = (weight.abs().max() / weight.square().mean().sqrt()).item()
    teach = "A normal distribution has no ends: nothing is cut off."
    expect(farthest > FAR_OUT, f"none of 25,600 weights lies beyond {farthest:.2f} standard deviations", teach=teach)


@check("solved")
def parameters_stay(answer: Answer, draw: Draw) -> None:
    stack = stack_of(draw, [4, 5], [nn.ReLU()])
    before = dict(stack.named_parameters())
    with only_values_change(stack):
        in_place(answer.init_stack)(stack)
    for name, parameter in stack.named_parameters():
        teach = "An optimizer made before holds the old one: change the same Parameter, in place and under no_grad."
        expect(parameter is before[name], f"{name} is another Parameter now", teach=teach)
        expect(parameter.requires_grad, f"{name} no longer requires a gradient", teach=teach)
        expect(parameter.grad_fn is None, f"{name} is no longer a leaf", teach=teach)
    stack(draw.normal(3, 4)).sum().backward()
    gathered = {name: parameter.grad.clone() for name, parameter in stack.named_parameters()}
    with only_values_change(stack):
        in_place(answer.init_stack)(stack)
    for name, parameter in stack.named_parameters():
        kept = parameter.grad is not None and torch.equal(parameter.grad.cpu(), gathered[name].cpu())
        expect(kept, f"the .grad of {name} has changed", teach="The gradients are none of its business.")
    stack[0].weight.requires_grad_(False)
    stack.eval()
    with only_values_change(stack):
        in_place(answer.init_stack)(stack)


@check("solved")
def signal_keeps_its_size(answer: Answer, draw: Draw) -> None:
    default = stack_of(draw, [WIDTH] * (DEPTH + 1), [nn.ReLU() for _ in range(DEPTH)])
    stack = stack_of(draw, [WIDTH] * (DEPTH + 1), [nn.ReLU() for _ in range(DEPTH)])
    in_place(answer.init_stack)(stack)
    signal = draw.normal(64, WIDTH)
    mine, theirs = spreads(stack, signal), spreads(default, signal)
    save_picture(
        "spread by layer, yours above the default", torch.cat([bars(mine), torch.zeros(2, DEPTH), bars(theirs)])
    )
    change = math.log10(mine[-1].item() / mine[0].item())
    # Chance alone moves the mean square of a layer this wide by some 15 %; thirty of them add up to 0.4 decades.
    teach = "Each layer multiplies the mean square by about the same factor: keep it at 1."
    expect(abs(change) < 2.5, f"after 30 layers the mean square has changed by 10^{change:.1f}", teach=teach)


@check("solved")
def numbers_change_in_place(answer: Answer, draw: Draw) -> None:
    """Other dtypes, and someone who looks at the same memory."""
    for dtype in (torch.float64, torch.bfloat16, torch.float32):
        stack = stack_of(draw, [40, 60, 50], [nn.ReLU(), nn.Tanh()]).to(dtype)
        seen = {name: parameter.detach() for name, parameter in stack.named_parameters()}
        in_place(answer.init_stack)(stack)
        for name, parameter in stack.named_parameters():
            kept = parameter.dtype == dtype and parameter.device == seen[name].device
            expect(kept, f"{name} was {dtype} and is {parameter.dtype} now", teach="Keep its dtype and its device.")
            teach = (
                "In place: write into the memory that is there (normal_, copy_), instead of putting new data below it."
            )
            same = torch.equal(parameter.detach().cpu(), seen[name].cpu())
            expect(same, f"{name} has other memory now, and who looked at the old one sees old numbers", teach=teach)
        expect_spread(stack[0], stack[1], 40, 60)
        expect_spread(stack[2], stack[3], 60, 50)
    plain = nn.Sequential(nn.Linear(40, 60, bias=False), nn.ReLU()).to(draw.device)
    in_place(answer.init_stack)(plain)
    expect_spread(plain[0], plain[1], 40, 60)


def spreads(stack: nn.Sequential, signal: Tensor) -> Tensor:
    found = []
    with torch.no_grad():
        for module in stack:
            signal = module(signal)
            if not isinstance(module, nn.Linear):
                found.append(signal.double().square().mean().cpu())
    return torch.stack(found)


def bars(values: Tensor, height: int = 24) -> Tensor:
    """A column for each layer, a row for each half decade, from 10 down to 10⁻¹¹."""
    decades = values.clamp(min=1e-30).log10()
    rows = 1 - 0.5 * torch.arange(height, dtype=torch.float64)[:, None]
    return (decades[None] >= rows).float()


@check("solved")
def frozen_layers_are_set_too(answer: Answer, draw: Draw) -> None:
    """All weights, whatever else the stack is used for, and a slope of 0."""
    stack = stack_of(draw, [40, 60, 60], [nn.LeakyReLU(0.0), nn.Identity()]).eval().requires_grad_(False)
    in_place(answer.init_stack)(stack)
    expect_spread(stack[0], stack[1], 40, 60)
    expect_spread(stack[2], stack[3], 60, 60)
    teach = "All weights are set anew and all biases become 0, frozen ones too; whether they train is another question."
    for layer in stack[::2]:
        expect(not bool(layer.bias.any()), "a frozen bias was left as it was", teach=teach)
    narrow = stack_of(draw, [900, 1], [nn.ReLU()])
    in_place(answer.init_stack)(narrow)
    expect_spread(narrow[0], narrow[1], 900, 1)
