"""Grades per_sample: a loop over the samples with autograd as the reference; ops counted at two sizes."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_no_trace,
    expect_same,
    expect_same_ops,
    looks_like,
)

PROMISES = {
    "loss.backward() gives the gradient of a whole batch; what each": None,
    "Who trains with privacy, finds odd samples or measures noise": None,
    "functional_call(model, parameters, args) runs a model with": None,
    "sample_gradients(model, inputs, labels) → a dictionary: for": "gradients_are_right",
    "inputs is (n, …), labels is (n,), n at least 1": None,
    "The model treats each sample alone (it has no batch norm), draws": None,
    "clipped_mean(model, inputs, labels, limit) → a dictionary with": "long_gradients_are_clipped",
    "The norm of a sample goes over all parameters together": "long_gradients_are_clipped",
    "A gradient of zero stays zero": "zero_stays_zero",
    "Nothing of the model changes: no .grad, no mode, no flag": "no_trace_is_left",
    "The results need no graph, and may have one": None,
    "Lean: as many ops for many samples as for few": "ops_do_not_grow",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 2, 2), (3, 4, 2), (5, 3, 4)]
TEACH = "Entry i is the gradient of sample i's own loss: grad of a function of one sample, vmapped over the batch."
Gradients = dict[str, Tensor]
Case = tuple[nn.Module, Tensor, Tensor]


def dense(draw: Draw, n: int, width: int, classes: int) -> Case:
    model = nn.Sequential(nn.Linear(width, 3), nn.Tanh(), nn.Linear(3, classes))
    return fill(draw, model), draw.normal(n, width), draw.integers(n, high=classes)


def images(draw: Draw, n: int, width: int, classes: int) -> Case:
    layers = (nn.Conv2d(1, 2, 2), nn.GroupNorm(1, 2), nn.ReLU(), nn.Flatten(), nn.Linear(2 * width, classes))
    model = nn.Sequential(*layers)
    return fill(draw, model), draw.normal(n, 1, 2, width + 1), draw.integers(n, high=classes)


def frozen(draw: Draw, n: int, width: int, classes: int) -> Case:
    model, inputs, labels = dense(draw, n, width, classes)
    model[0].weight.requires_grad_(False)
    return model, inputs, labels


class Tied(nn.Module):
    """One weight, used twice, and a buffer that is no parameter."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.second.weight = self.first.weight
        self.last = nn.Linear(width, classes)
        self.register_buffer("offset", torch.full((width,), 0.5))

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.second(self.first(x).tanh() + self.offset))


def tied(draw: Draw, n: int, width: int, classes: int) -> Case:
    return fill(draw, Tied(width, classes)), draw.normal(n, width), draw.integers(n, high=classes)


def tokens(draw: Draw, n: int, width: int, classes: int) -> Case:
    """Words by their numbers: nothing that could have a gradient of its own."""
    model = nn.Sequential(nn.Embedding(5, 2), nn.Flatten(), nn.Linear(2 * width, classes))
    return fill(draw, model), draw.integers(n, width, high=5), draw.integers(n, high=classes)


def faint(draw: Draw, n: int, width: int, classes: int) -> Case:
    """Inputs so small that the gradients are, too, though the loss is not."""
    model = fill(draw, nn.Sequential(nn.Linear(width, classes, bias=False)))
    return model, draw.normal(n, width, scale=1e-13), draw.integers(n, high=classes)


def fill(draw: Draw, model: nn.Module) -> nn.Module:
    for weight in model.parameters():
        weight.data = draw.normal(*weight.shape).cpu()
    return model.to(draw.device)


def one_by_one(model: nn.Module, inputs: Tensor, labels: Tensor) -> Gradients:
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    found = []
    for place in range(len(inputs)):
        loss = functional.cross_entropy(model(inputs[place : place + 1]), labels[place : place + 1])
        found.append(torch.autograd.grad(loss, list(weights.values())))
    return {name: torch.stack([one[number] for one in found]) for number, name in enumerate(weights)}


def lengths(gradients: Gradients) -> Tensor:
    return torch.stack([one.double().flatten(1).square().sum(1) for one in gradients.values()]).sum(0).sqrt()


def clip(gradients: Gradients, factors: dict[str, Tensor]) -> Gradients:
    return {
        name: (one.double() * factors[name].view(-1, *[1] * (one.dim() - 1))).mean(0).to(one.dtype)
        for name, one in gradients.items()
    }


def clipped(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> Gradients:
    gradients = one_by_one(model, inputs, labels)
    factors = (limit / lengths(gradients)).clamp(max=1)
    return clip(gradients, dict.fromkeys(gradients, factors))


def clipped_apart(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> Gradients:
    gradients = one_by_one(model, inputs, labels)
    return clip(gradients, {name: (limit / lengths({name: one})).clamp(max=1) for name, one in gradients.items()})


def clipped_late(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> Gradients:
    means = {name: one.mean(0, keepdim=True) for name, one in one_by_one(model, inputs, labels).items()}
    return clip(means, dict.fromkeys(means, (limit / lengths(means)).clamp(max=1)))


def always_scaled(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> Gradients:
    gradients = one_by_one(model, inputs, labels)
    return clip(gradients, dict.fromkeys(gradients, limit / lengths(gradients)))


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    shared = looks_like(
        lambda model, inputs, labels: {
            name: one / len(inputs) for name, one in one_by_one(model, inputs, labels).items()
        },
        "Each is divided by the number of samples: take one sample's own loss, not its part of the mean.",
    )
    for make in (dense, images, tied):
        for case in draw.cases(make, SIZES, repeats=1):
            expect_same(answer.sample_gradients, one_by_one, *case, diagnose=[shared], teach=TEACH)
    if draw.device.type == "cpu":
        model, inputs, labels = dense(draw, 3, 4, 2)
        exact = model.double(), inputs.double(), labels
        teach = "A float64 model has float64 gradients."
        expect_same(answer.sample_gradients, one_by_one, *exact, teach=teach, rtol=1e-11, atol=1e-12)
    for case in draw.cases(tokens, [(1, 2, 3), (4, 3, 2)], repeats=1):
        expect_same(answer.sample_gradients, one_by_one, *case, teach="Inputs may be whole numbers, as of words.")


@check("solved")
def frozen_parameters_are_left_out(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(frozen, SIZES[1:]):
        teach = "Only parameters with requires_grad are asked for; the others are used as they are."
        expect_same(answer.sample_gradients, one_by_one, *case, teach=teach)


@check("solved")
def no_trace_is_left(answer: Answer, draw: Draw) -> None:
    case = dense(draw, 3, 4, 2)
    expect_no_trace(answer.sample_gradients, *case)
    expect_no_trace(answer.clipped_mean, *case, 0.5)
    order = list(answer.sample_gradients(*case))
    wanted = [name for name, _ in case[0].named_parameters()]
    expect(order == wanted, f"the order of the keys is {order} and should be {wanted}", teach="As named_parameters().")


@check("solved")
def long_gradients_are_clipped(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(clipped_apart, "Each parameter was clipped by its own norm: a sample has one norm, over all."),
        looks_like(clipped_late, "The mean was clipped; the samples are clipped, one by one, before the mean."),
        looks_like(always_scaled, "Short gradients were made longer: the factor is never above 1."),
    ]
    for make in (dense, images, frozen):
        for model, inputs, labels in draw.cases(make, SIZES[1:], repeats=1):
            middle = lengths(one_by_one(copy.deepcopy(model).cpu(), inputs.cpu(), labels.cpu())).median().item()
            for limit in (middle * 0.9, middle * 100, middle / 100)[: 3 if make is dense else 1]:
                expect_same(answer.clipped_mean, clipped, model, inputs, labels, limit, diagnose=known, atol=1e-6)


@check("solved")
def zero_stays_zero(answer: Answer, draw: Draw) -> None:
    model = fill(draw, nn.Sequential(nn.Linear(2, 1)))
    inputs, labels = draw.normal(3, 2), draw.integers(3, high=1)
    teach = "With a single class nothing can be wrong: the gradient is 0, and 0 / 0 must not become NaN."
    zeros = {name: torch.zeros(weight.shape) for name, weight in model.named_parameters()}
    expect_same(answer.clipped_mean, lambda *case: zeros, model, inputs, labels, 1.0, teach=teach)


@check("solved")
def short_gradients_count(answer: Answer, draw: Draw) -> None:
    """Norms near 1e-13, with limits below and above: what is added to a norm, or holds it up, shows here."""
    teach = "The factor is min(1, limit / norm): nothing is added to the norm, and no norm is too short."
    for model, inputs, labels in draw.cases(faint, [(4, 3, 2)]):
        norms = lengths(one_by_one(copy.deepcopy(model).cpu(), inputs.cpu(), labels.cpu()))
        for limit in (norms.median().item() * 0.5, norms.max().item() * 2):
            expect_same(answer.clipped_mean, clipped, model, inputs, labels, limit, teach=teach, atol=1e-18)


@check("solved")
def digits_are_kept(answer: Answer, draw: Draw) -> None:
    if draw.device.type == "cpu":
        model, inputs, labels = dense(draw, 3, 4, 2)
        exact = model.double(), inputs.double(), labels
        teach = "A float64 model has float64 gradients, with all of their digits, when they are clipped too."
        expect_same(answer.clipped_mean, clipped, *exact, 0.3, teach=teach, rtol=1e-11, atol=1e-12)


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    small, large = dense(draw, 3, 4, 2), dense(draw, 100, 4, 2)
    teach = "A loop over the samples pays for each; vmap runs the function of one sample over all of them at once."
    answer.sample_gradients(*small)
    expect_same_ops(answer.sample_gradients, small, large, teach=teach)
    expect_same_ops(answer.clipped_mean, (*small, 0.5), (*large, 0.5), teach=teach)
