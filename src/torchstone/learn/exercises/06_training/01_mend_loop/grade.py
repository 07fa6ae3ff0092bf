"""Grades mend_loop: a right loop on a copy of the net, bit for bit the same data; then two rings to learn."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_reaches, fail, in_place

PROMISES = {
    "Gradients that were there before must not matter.": "weights_are_right",
    "Each of the two puts the net, every part of it, into": "weights_are_right",
    "There is at least one batch, and from each every parameter gets a gradient.": None,
    "Nothing here raises an error; it only learns badly and reports wrong numbers.": None,
    "There are five bugs: mend them all.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

Batches = list[tuple[Tensor, Tensor]]
MODES = ((True, True), (False, False), (True, False), (False, True))
"""Whether the net is in training mode, and whether its parts are."""
ACCURACY = 0.8
"""A right loop reaches 0.95 to 1.0 here, guessing 0.5."""
INFINITE = (
    "The inf that stood in .grad before is still felt, and 0 · inf is nan: forget old gradients, or write over them."
)


class Descent:
    """Gradient descent with momentum, with the two methods of an optimizer that a loop calls."""

    def __init__(self, parameters: list[nn.Parameter], rate: float, momentum: float = 0.9) -> None:
        self.parameters = parameters
        self.param_groups = [{"params": parameters, "lr": rate}]
        self.velocities = [torch.zeros_like(parameter) for parameter in parameters]
        self.rate, self.momentum = rate, momentum
        self.steps = 0

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters:
            parameter.grad = None if set_to_none else torch.zeros_like(parameter)

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor | None:
        loss = None if closure is None else closure()
        self.move()
        return loss

    @torch.no_grad()
    def move(self) -> None:
        self.steps += 1
        for parameter, velocity in zip(self.parameters, self.velocities, strict=True):
            if parameter.grad is not None:
                parameter.sub_(velocity.mul_(self.momentum).add_(parameter.grad), alpha=self.rate)


def right_epoch(net: nn.Module, batches: Batches, rate: float, *, clear: bool = True, softmax: bool = False) -> float:
    """The loop as it should be, or with one of its known bugs."""
    net.train()
    optimizer = Descent(list(net.parameters()), rate)
    total = 0.0
    for inputs, labels in batches:
        logits = net(inputs)
        loss = functional.cross_entropy(logits.softmax(1) if softmax else logits, labels)
        if clear:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / sum(len(labels) for _, labels in batches)


def make_net(draw: Draw) -> nn.Module:
    return nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 4)).to(draw.device)


def make_batches(draw: Draw, sizes: tuple[int, ...]) -> Batches:
    return [(draw.normal(size, 3), draw.integers(size, high=4)) for size in sizes]


def on_cpu(batches: Batches) -> Batches:
    return [(inputs.to("cpu"), labels.to("cpu")) for inputs, labels in batches]


def same_weights(a: nn.Module, b: nn.Module) -> bool:
    pairs = zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    return all(torch.allclose(one.to("cpu"), other.to("cpu"), rtol=1e-3, atol=1e-5) for one, other in pairs)


def explain(before: nn.Module, after: nn.Module, batches: Batches, rate: float) -> str:
    """Which known bug leads to these weights."""
    if all(torch.equal(a.to("cpu"), b) for a, b in zip(after.parameters(), before.parameters(), strict=True)):
        return "Nothing was learned: zero_grad between backward and step throws the gradients away."
    for bug, sentence in (
        ({"clear": False}, "The gradients of all batches pile up in .grad: clear them before each backward."),
        (
            {"softmax": True},
            "cross_entropy takes logits and applies softmax itself: a second one flattens the gradient.",
        ),
    ):
        net = copy.deepcopy(before)
        for parameter in net.parameters():
            parameter.grad = torch.ones_like(parameter)
        right_epoch(net, batches, rate, **bug)
        if same_weights(net, after):
            return sentence
    return "For each batch: the loss of the logits, zero_grad, backward, step."


@check("solved")
def weights_are_right(answer: Answer, draw: Draw) -> None:
    for sizes in ((4,), (4, 4), (6, 6, 3)):
        for mode, others in MODES:
            net, batches, rate = make_net(draw), make_batches(draw, sizes), 0.3
            if len(sizes) > 2:
                net[3].weight.data.mul_(5)  # gradients whose norm is well above 1
            before = copy.deepcopy(net).cpu()
            expected = copy.deepcopy(before)
            right_epoch(expected, on_cpu(batches), rate)
            set_modes(net, mode, others)
            optimizer = Descent(list(net.parameters()), rate)
            left = 1.0 if mode == others else torch.inf
            for parameter in net.parameters():  # left by someone, and no part of this epoch
                parameter.grad = torch.full_like(parameter, left)
            in_place(answer.train_epoch, 0, 1, also=("modes",))(net, optimizer, batches)
            counted = f"the optimizer took {optimizer.steps} steps for {len(batches)} batches"
            expect(optimizer.steps == len(batches), counted, teach="One step() for each batch, with its brackets.")
            if same_weights(net, expected):
                continue
            name, got, want = first_difference(net, expected)
            if "running" in name or torch.equal(net[1].running_mean.to("cpu"), before[1].running_mean):
                teach = "The net, or a part of it, was left in evaluation mode: train_epoch itself must call train()."
            elif left == torch.inf and not all(bool(one.isfinite().all()) for one in net.parameters()):
                teach = INFINITE
            else:
                teach = explain(before, net, on_cpu(batches), rate)
            batch_word = f"{len(sizes)} batches" if len(sizes) > 1 else "one batch"
            expect_close(got, want, what=f"{name} after {batch_word}", teach=teach, rtol=1e-3)
            fail(f"{name} is wrong after {batch_word}", teach=teach)


def set_modes(net: nn.Module, mode: bool, others: bool) -> None:
    """The outer module's mode, and that of the parts in it, which someone may have set on their own."""
    net.train(others)
    net.training = mode


@check("solved")
def parts_of_parts_are_switched_too(answer: Answer, draw: Draw) -> None:
    """A norm three levels down, in the other mode than it needs."""
    teach = "net.train() and net.eval() reach every part; a loop over net.children() stops at the first level."
    batches = make_batches(draw, (6,))
    for needs_training in (True, False):
        norm = nn.BatchNorm1d(5)
        net = nn.Sequential(nn.Linear(3, 5), nn.Sequential(nn.Sequential(norm)), nn.Linear(5, 4)).to(draw.device)
        set_modes(net, needs_training, not needs_training)
        if needs_training:
            in_place(answer.train_epoch, 0, 1, also=("modes",))(net, Descent(list(net.parameters()), 0.1), batches)
        else:
            in_place(answer.evaluate, also=("modes",))(net, batches)
        moved = not torch.equal(norm.running_mean.to("cpu"), torch.zeros(5))
        words = f"a norm inside a part of a part was {'not ' if needs_training else ''}in training mode"
        expect(moved == needs_training, words, teach=teach)


def first_difference(net: nn.Module, expected: nn.Module) -> tuple[str, Tensor, Tensor]:
    for (name, got), want in zip(net.state_dict().items(), expected.state_dict().values(), strict=True):
        if not torch.allclose(got.to("cpu"), want, rtol=1e-3, atol=1e-5):
            return name, got, want
    return "nothing", torch.zeros(1), torch.zeros(1)


@check("solved")
def loss_is_per_sample(answer: Answer, draw: Draw) -> None:
    teach = "A batch's loss is a mean over the batch: weigh it with the number of samples, then divide by all of them."
    for sizes in ((3,), (8, 8), (16, 3), (9, 9, 3), (90, 40, 5)):
        net, batches = make_net(draw), make_batches(draw, sizes)
        expected = right_epoch(copy.deepcopy(net).cpu(), on_cpu(batches), 0.5)
        got = in_place(answer.train_epoch, also=("modes",))(net, Descent(list(net.parameters()), 0.5), batches)
        expect_close(got, expected, what=f"the loss over batches of {list(sizes)}", teach=teach, rtol=1e-4)


@check("solved")
def sure_nets_have_a_finite_loss(answer: Answer, draw: Draw) -> None:
    net = nn.Linear(3, 4).to(draw.device)
    with torch.no_grad():
        net.weight.mul_(500)
    batches = make_batches(draw, (6, 3))
    expected = right_epoch(copy.deepcopy(net).cpu(), on_cpu(batches), 1e-3)
    got = in_place(answer.train_epoch, 0, 1, also=("modes",))(net, Descent(list(net.parameters()), 1e-3), batches)
    teach = "log(softmax(x)) is −inf where a net is sure of something else; cross_entropy of the logits is not."
    expect_close(got, expected, what="the loss of a net that is very sure", teach=teach, rtol=1e-3)


@check("solved")
def accuracy_is_right(answer: Answer, draw: Draw) -> None:
    teach = "Dropout and batch norm behave differently while evaluating: net.eval() says so, no_grad does not."
    for sizes in ((40,), (40, 7)):
        for mode, others in MODES:
            net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.9), nn.Linear(8, 4))
            nn.init.normal_(net[1].running_mean)
            set_modes(net.to(draw.device), mode, others)
            batches = make_batches(draw, sizes)
            before = copy.deepcopy(net).cpu()
            quiet = copy.deepcopy(before).eval()
            right = sum((quiet(inputs).argmax(1) == labels).sum().item() for inputs, labels in on_cpu(batches))
            got = in_place(answer.evaluate, also=("modes",))(net, batches)
            expect_close(got, right / sum(sizes), what=f"the accuracy over batches of {list(sizes)}", teach=teach)
            expect(same_weights(net, before), "evaluate has changed the net's running statistics", teach=teach)


@check("solved")
def close_logits_are_told_apart(answer: Answer, draw: Draw) -> None:
    net = nn.Linear(3, 4).to(draw.device)
    with torch.no_grad():
        net.weight.zero_()
        net.bias.copy_(draw.place(torch.tensor([1.0, 1.0 + 1e-5, 1.0 - 1e-5, 0.5])))
    # Each answer is right another number of times: whichever of the four is taken for the largest shows.
    labels = torch.tensor([1] * 20 + [0] * 10 + [2] * 7 + [3] * 4)
    shuffled = draw.place(labels, torch.int64)[draw.permutation(len(labels))]
    batches = [(draw.normal(len(part), 3), part) for part in shuffled.split((30, 11))]
    got = in_place(answer.evaluate, also=("modes",))(net, batches)
    teach = "The largest logit is the answer, by however little: compare what the net gives, as it gives it."
    expect_close(got, 20 / 41, what="the accuracy of a net whose logits are nearly equal", teach=teach)


class Remembers(nn.Module):
    """A net that notes whether gradients were being recorded when it ran."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 4)
        self.recorded: list[bool] = []

    def forward(self, x: Tensor) -> Tensor:
        result = self.linear(x)
        self.recorded.append(result.requires_grad)
        return result


@check("solved")
def evaluation_records_nothing(answer: Answer, draw: Draw) -> None:
    net = Remembers().to(draw.device)
    in_place(answer.evaluate, also=("modes",))(net, make_batches(draw, (4,)))
    teach = "Evaluate under torch.no_grad(): otherwise each batch builds a graph that nobody uses."
    expect(net.recorded == [False], "gradients were recorded while evaluating", teach=teach)


def rings(draw: Draw, count: int) -> tuple[Tensor, Tensor]:
    labels = torch.randint(2, (count,), generator=draw.generator)
    angles = torch.rand(count, generator=draw.generator) * 2 * torch.pi
    points = torch.stack([angles.cos(), angles.sin()], 1) * (1 + labels)[:, None]
    points += 0.1 * torch.randn(count, 2, generator=draw.generator)
    return draw.place(points, torch.float32), draw.place(labels, torch.int64)


@check("solved")
def two_rings_are_learned(answer: Answer, draw: Draw) -> None:
    net = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.BatchNorm1d(32), nn.Linear(32, 2)).to(draw.device)
    optimizer = Descent(list(net.parameters()), 0.05)
    losses = []
    for _ in range(8):
        batches = [rings(draw, 32) for _ in range(8)]
        losses.append(in_place(answer.train_epoch, also=("modes",))(net, optimizer, batches))
    accuracy = in_place(answer.evaluate, also=("modes",))(net, [rings(draw, 200)])
    expect(losses[-1] < losses[0], f"the loss went from {losses[0]:.3g} to {losses[-1]:.3g}")
    expect_reaches("the accuracy on new points", accuracy, at_least=ACCURACY)
