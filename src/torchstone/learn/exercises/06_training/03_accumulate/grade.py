"""Grades accumulate: the whole batch at once, in float64, as the reference; live bytes at two batch sizes."""

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
    format_bytes,
    in_place,
    note,
    raw,
    watch,
)

PROMISES = {
    "The net treats each sample by itself (no batch norm, no dropout)": None,
    "The batch does not fit into memory, so it goes": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CLASSES = 3
# samples, samples of a part, share of labels that count
CASES = [(1, 1, 1.0), (2, 1, 1.0), (4, 2, 1.0), (3, 2, 1.0), (5, 2, 0.6), (7, 3, 0.5), (6, 10, 0.7), (9, 4, 0.3)]
PARTS = (
    "The parts hold different numbers of counted samples, so a mean of their means is not the mean of the batch: "
    "divide each part's sum by the count of the whole batch."
)
EMPTY = "The mean of a part without counted samples is 0/0: take its sum, which is 0."
INFINITE = "What stood in .grad before is gone, inf and nan too: 0 times either is nan."
TOGETHER = "Clipping is by the norm of all gradients together; one factor for all keeps the direction of the step."


def make_net(draw: Draw) -> nn.Module:
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, CLASSES, bias=False)).to(draw.device)


def make_batch(draw: Draw, samples: int, part: int, share: float) -> tuple[Tensor, Tensor]:
    labels = draw.integers(samples, high=CLASSES)
    counts = draw.mask(samples, share=share)
    counts[::part] = True
    return draw.normal(samples, 4), labels.masked_fill(~counts, -100)


def whole_batch(net: nn.Module, inputs: Tensor, labels: Tensor) -> tuple[list[Tensor], Tensor, Tensor]:
    """Gradients, loss and norm of the batch at once, in float64."""
    twin = copy.deepcopy(net).cpu().double()
    loss = functional.cross_entropy(twin(inputs.cpu().double()), labels.cpu())
    learning = [parameter for parameter in twin.parameters() if parameter.requires_grad]
    gradients = torch.autograd.grad(loss, learning)
    norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
    return [gradient.float() for gradient in gradients], loss.detach().float(), norm.float()


def run(
    answer: Answer,
    draw: Draw,
    case: tuple[int, int, float],
    factor: float,
    stale: float | None = 1.0,
    net: nn.Module | None = None,
    teach: str | None = None,
) -> None:
    """One call, with a limit of `factor` times the true norm, where `stale` stands in each `.grad`."""
    samples, part, share = case
    net, (inputs, labels) = net or make_net(draw), make_batch(draw, samples, part, share)
    gradients, loss, norm = whole_batch(net, inputs, labels)
    if stale is not None:
        for parameter in net.parameters():
            parameter.grad = torch.full_like(parameter, stale if parameter.requires_grad else math.nan)
    limit = float(norm) * factor
    returned = in_place(answer.accumulate, 0)(net, inputs, labels, part, limit)
    expect(isinstance(returned, tuple) and len(returned) == 2, "accumulate should return the loss and the norm")
    expected = [gradient * min(1.0, factor) for gradient in gradients]
    where = f"{samples} samples in parts of {part}, {int((labels != -100).sum())} of them counted"
    learning = [(name, parameter) for name, parameter in net.named_parameters() if parameter.requires_grad]
    for (name, parameter), want, full in zip(learning, expected, gradients, strict=True):
        expect(parameter.grad is not None, f"{name} has no gradient")
        got = parameter.grad.to("cpu")
        sentence = teach or explain(got, full, factor, limit)
        what, near = f"the gradient of {name}, {where},", 1e-5 * min(1.0, factor)
        expect_close(parameter.grad, want, what=what, teach=sentence, rtol=1e-3, atol=near)
    expect_close(returned[0], loss, what=f"the loss of {where}", teach=PARTS, rtol=1e-3)
    teach = "The norm is that of the whole gradient before clipping."
    expect_close(returned[1], norm, what=f"the norm of {where}", teach=teach, rtol=1e-3)
    graph = returned[0].requires_grad or returned[1].requires_grad
    expect(not graph, "what was returned still hangs on the graph", teach="Return the loss detached.")


def explain(got: Tensor, full: Tensor, factor: float, limit: float) -> str:
    """What the gradient of one parameter tells about the mistake."""

    def near(other: Tensor) -> bool:
        return torch.allclose(got, other, rtol=1e-3, atol=1e-5)

    if near(full + 1):
        return "What stood in .grad before is still in it: clear it before the first part."
    if factor > 1:
        return "A norm below the limit is no reason to scale." if near(full * factor) else PARTS
    if near(full):
        return "The gradients were not clipped, and their norm is above the limit."
    if near(full * min(1.0, limit / float(full.norm()))) or near(full.clamp(-limit, limit)):
        return TOGETHER
    return "Clip once, after the last part: a sum of clipped parts is not the clipped sum."


@check("solved")
def gradients_are_those_of_the_batch(answer: Answer, draw: Draw) -> None:
    for case in CASES:
        for _ in range(2):
            run(answer, draw, case, factor=1.5, stale=None)


@check("solved")
def old_gradients_are_gone(answer: Answer, draw: Draw) -> None:
    run(answer, draw, (5, 2, 0.8), factor=200.0)
    for stale in (math.inf, math.nan):
        run(answer, draw, (5, 2, 0.8), factor=200.0, stale=stale, teach=INFINITE)


@check("solved")
def gradients_are_clipped_together(answer: Answer, draw: Draw) -> None:
    for factor in (0.05, 0.5, 0.9, 1e-3):
        for case in ((1, 1, 1.0), (7, 3, 0.6)):
            run(answer, draw, case, factor)


@check("solved")
def empty_parts_are_harmless(answer: Answer, draw: Draw) -> None:
    net = make_net(draw)
    inputs, labels = draw.normal(6, 4), draw.place(torch.tensor([-100, -100, 1, 2, -100, -100]), torch.int64)
    gradients, loss, _ = whole_batch(net, inputs, labels)
    returned = in_place(answer.accumulate, 0)(net, inputs, labels, 2, 1e6)
    for (name, parameter), want in zip(net.named_parameters(), gradients, strict=True):
        expect_close(
            parameter.grad, want, what=f"the gradient of {name} where two parts are empty", teach=EMPTY, rtol=1e-3
        )
    expect_close(returned[0], loss, what="the loss where two parts are empty", teach=EMPTY, rtol=1e-3)


class Odd(nn.Module):
    """A net whose two layers share their weight, around a frozen layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.head = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, CLASSES)
        self.frozen = nn.Linear(4, 4).requires_grad_(False)
        self.second.weight = self.first.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.second(self.frozen(self.first(x).tanh()).tanh()).tanh())


@check("solved")
def odd_nets_are_served(answer: Answer, draw: Draw) -> None:
    """Weights that two layers share are one part of the vector; frozen ones are none."""
    sentence = "A weight that two layers share counts once in the norm and is scaled once; a frozen one counts nowhere."
    for factor in (0.3, 0.9, 200.0):
        for stale in (1.0, None):
            run(answer, draw, (7, 3, 0.6), factor, stale, Odd().to(draw.device), sentence)


@check("lean")
def memory_does_not_grow(answer: Answer, draw: Draw) -> None:
    wide = nn.Sequential(nn.Linear(4, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, CLASSES))
    expect_no_growth(answer, draw, wide.to(draw.device))
    # Many classes: logits outweigh all else.
    expect_no_growth(answer, draw, nn.Linear(4, 600).to(draw.device))


def expect_no_growth(answer: Answer, draw: Draw, net: nn.Module) -> None:
    peaks = []
    for parts in (2, 8):
        inputs, labels = make_batch(draw, 64 * parts, 64, 1.0)
        raw(answer.accumulate)(net, inputs, labels, 64, 1.0)
        with watch() as seen:
            raw(answer.accumulate)(net, inputs, labels, 64, 1.0)
        peaks.append(seen.peak_bytes)
    message = (
        f"accumulate holds {format_bytes(peaks[0])} for 2 parts and {format_bytes(peaks[1])} for 8 of the same size"
    )
    teach = "A graph lives until its backward: call it for each part at once, and keep only numbers, not losses."
    expect(peaks[1] <= 1.1 * peaks[0], message, teach=teach)
    note(f"{format_bytes(peaks[1])} at its peak, however many parts")
