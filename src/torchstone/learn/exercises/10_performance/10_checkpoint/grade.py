"""Grades checkpoint: the plain pass with the same seed as the reference, and the peak of both passes together."""

import copy
import gc
from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    fail,
    format_bytes,
    guard,
    note,
    raw,
    watch,
)

PROMISES = {
    "A backward pass needs every activation of the forward pass.": None,
    "Checkpointing keeps only the inputs of some segments and computes": None,
    "Lean: with 16 layers, at most half of the memory that the plain pass needs.": "fits_the_budget",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

built_in_calls: list[str] = []

FEW, MANY, GROWTH = 16, 1024, 11.0
"""√64 is 8; segments of eight layers at any depth give 14, one segment for each layer gives 60."""


def _forbid(name: str) -> None:
    original = getattr(torch.utils.checkpoint, name)

    def noted(*args: Any, **kwargs: Any) -> Any:
        built_in_calls.append(name)
        return original(*args, **kwargs)

    setattr(torch.utils.checkpoint, name, noted)


for name in ("checkpoint", "checkpoint_sequential"):
    _forbid(name)

DEPTH, ROWS, WIDTH = 16, 64, 16
SAME_DRAW = (
    "In the recomputation dropout drew another mask, so these are the gradients of another function: set the random "
    "state of the forward pass first."
)


def layer(draw: Draw, width: int, dropout: float) -> nn.Sequential:
    parts = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Dropout(dropout))
    with torch.no_grad():
        for parameter in parts.parameters():
            parameter.copy_(draw.normal(*parameter.shape, scale=0.4).cpu())
    return parts.to(draw.device)


def plain(layers: list, x: Tensor) -> Tensor:
    for one in layers:
        x = one(x)
    return x


def passes(call: Callable[[list, Tensor], Tensor], layers: list, x: Tensor, seed: int) -> tuple:
    """Result, gradients, and the next random numbers after each pass."""
    torch.manual_seed(seed)
    for parameter in nn.ModuleList(layers).parameters():
        parameter.grad = None
    result = call(layers, x)
    after_forward = torch.rand(2)
    expect(
        result.requires_grad,
        "the result needs no gradient, so no backward pass will come",
        teach="A Function's result needs a gradient if one of its tensor arguments does: hand it a dummy that does.",
    )
    (result * torch.linspace(1, 2, result.numel(), device=x.device).view_as(result)).sum().backward()
    after_backward = torch.rand(2)
    gradients = {name: value.grad for name, value in nn.ModuleList(layers).named_parameters()}
    return result.detach(), x.grad, gradients, after_forward, after_backward


def expect_same_passes(call: Callable[[list, Tensor], Tensor], layers: list, x: Tensor, seed: int) -> None:
    ours = x.detach().clone().requires_grad_(x.requires_grad)
    expected = passes(plain, copy.deepcopy(layers), ours, seed)
    built_in_calls.clear()
    got = passes(call, layers, x, seed)
    expect(not built_in_calls, "torch.utils.checkpoint was called", teach="That is what you are writing here.")
    expect_close(got[0], expected[0].cpu(), what="the result")
    dropout = any(isinstance(part, nn.Dropout) and part.p > 0 for one in layers for part in one.modules())
    teach = SAME_DRAW if dropout else "The gradient of a segment is that of its function, computed again."
    for name, value in expected[2].items():
        expect(
            got[2][name] is not None,
            f"the parameter {name} got no gradient",
            teach="torch.autograd.backward(result, gradient) also reaches the parameters; autograd.grad in x does not.",
        )
        expect_close(got[2][name], value.cpu(), what=f"the gradient of {name}", teach=teach, rtol=1e-3)
    if x.requires_grad:
        expect(got[1] is not None, "x got no gradient")
        expect_close(got[1], expected[1].cpu(), what="the gradient of x", teach=teach, rtol=1e-3)
    expect_close(
        got[3], expected[3], what="the next random numbers after the forward pass", teach="Draw as the plain pass does."
    )
    expect_close(
        got[4],
        expected[4],
        what="the next random numbers after the backward pass",
        teach="The recomputation moved the random generator: put its state back afterwards.",
    )


def one_checkpoint(answer: Answer) -> Callable[[list, Tensor], Tensor]:
    return lambda layers, x: guard(raw(answer.checkpoint))(layers[0], x)


def of_a_plain_function(answer: Answer) -> Callable[[list, Tensor], Tensor]:
    """Which has no `parameters()` to ask for."""
    return lambda layers, x: guard(raw(answer.checkpoint))(lambda inner: layers[0](inner), x)


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for rows, width in ((1, 1), (2, 3), (3, 4)):
        for needs in (True, False):
            x = draw.normal(rows, width).requires_grad_(needs)
            expect_same_passes(one_checkpoint(answer), [layer(draw, width, 0.0)], x, draw.integer(0, 9999))
            x = draw.normal(rows, width).requires_grad_(needs)
            expect_same_passes(of_a_plain_function(answer), [layer(draw, width, 0.0)], x, draw.integer(0, 9999))


@check("solved")
def gradients_are_added(answer: Answer, draw: Draw) -> None:
    one = layer(draw, 3, 0.0)
    x = draw.normal(2, 3)
    twin = copy.deepcopy(one)
    plain([twin], x).sum().backward()
    for parameter in one.parameters():
        parameter.grad = torch.ones_like(parameter)
    raw(answer.checkpoint)(one, x.clone().requires_grad_()).sum().backward()
    teach = "backward() adds to what a parameter has in .grad: gradients of an earlier part of the batch stay in it."
    for (name, mine), theirs in zip(one.named_parameters(), twin.parameters(), strict=True):
        what = f"the .grad of {name}, which was 1 before,"
        expect_close(mine.grad, theirs.grad.cpu() + 1, what=what, teach=teach, rtol=1e-3)


@check("solved")
def random_numbers_are_kept(answer: Answer, draw: Draw) -> None:
    for _ in range(3):
        x = draw.normal(4, 8).requires_grad_()
        expect_same_passes(one_checkpoint(answer), [layer(draw, 8, 0.5)], x, draw.integer(0, 9999))


@check("solved")
def runs_are_right(answer: Answer, draw: Draw) -> None:
    call = raw(answer.run)
    for depth in (1, 2, 3, 5, 9):
        for needs in (True, False):
            x = draw.normal(3, 4).requires_grad_(needs)
            layers = [layer(draw, 4, 0.3) for _ in range(depth)]
            expect_same_passes(call, layers, x, draw.integer(0, 9999))


@check("solved")
def nothing_but_x_is_kept(answer: Answer, draw: Draw) -> None:
    """Between the passes the activations must be gone: that is what checkpointing is for."""
    x, inner = draw.normal(ROWS, WIDTH).requires_grad_(), plain_chain([layer(draw, WIDTH, 0.0) for _ in range(4)])
    gc.collect()
    with watch() as seen:
        result = raw(answer.checkpoint)(inner, x)
        held = seen.live_bytes
    allowed = 2.5 * ROWS * WIDTH * 4
    expect(
        held <= allowed,
        f"between the passes {format_bytes(held)} are kept of a result of {format_bytes(ROWS * WIDTH * 4)}",
        teach="Only x is saved; the forward pass must run without a graph, which would hold every activation.",
    )
    del result
    tall = draw.normal(32 * ROWS, WIDTH).requires_grad_()
    gc.collect()
    with watch() as seen:
        total = raw(answer.checkpoint)(inner, tall).sum()  # the result itself is no longer needed by anyone
        gc.collect()
        held = seen.live_bytes
    expect(
        held <= tall.nbytes / 2,
        f"when the result is gone, {format_bytes(held)} are kept beside x, of {format_bytes(tall.nbytes)}",
        teach="Only x is saved: the result is computed again in the backward pass, like all else.",
    )
    del total


@check("solved")
def tokens_need_no_gradient(answer: Answer, draw: Draw) -> None:
    teach = "Whole numbers have no gradient: ask for one in x only where x asks for it, the parameters get theirs."
    table = nn.Embedding(5, 3).to(draw.device)
    tokens = draw.integers(2, 4, high=5)
    table(tokens).square().sum().backward()
    expected, table.weight.grad = table.weight.grad.cpu(), None
    try:
        raw(answer.checkpoint)(table, tokens).square().sum().backward()
    except RuntimeError as error:
        fail(f"a table looked up by tokens: {error}", teach=teach)
    expect(table.weight.grad is not None, "the table got no gradient", teach=teach)
    expect_close(table.weight.grad, expected, what="the gradient of a table looked up by tokens", teach=teach)


class Noisy(nn.Module):
    """Draws without a dropout layer, in training and in evaluation."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * torch.rand(x.shape).to(x.device) + torch.randn(x.shape).to(x.device)


@check("solved")
def whatever_draws_draws_the_same(answer: Answer, draw: Draw) -> None:
    x = draw.normal(4, 3).requires_grad_()
    noisy = Noisy(nn.Linear(3, 3).to(draw.device)).eval()
    expect_same_passes(one_checkpoint(answer), [noisy], x, draw.integer(0, 9999))


@check("solved")
def gradients_have_no_bounds(answer: Answer, draw: Draw) -> None:
    teach = "The gradients are those of function(x), of any size, and in any dtype."
    for size in (1e6, 1e-6):
        one = layer(draw, 3, 0.0).double() if draw.device.type == "cpu" else layer(draw, 3, 0.0)
        x = draw.normal(2, 3).to(next(one.parameters()).dtype)
        twin, theirs, mine = copy.deepcopy(one), x.clone().requires_grad_(), x.clone().requires_grad_()
        (twin(theirs).sum() * size).backward()
        (raw(answer.checkpoint)(one, mine).sum() * size).backward()
        expect_close(mine.grad, theirs.grad.cpu(), what=f"the gradient of x, times {size:g}", teach=teach, atol=0.0)
        for (name, ours), other in zip(one.named_parameters(), twin.parameters(), strict=True):
            what = f"the gradient of {name}, times {size:g}"
            expect_close(ours.grad, other.grad.cpu(), what=what, teach=teach, atol=0.0)


def plain_chain(layers: list) -> Callable[[Tensor], Tensor]:
    return lambda x: plain(layers, x)


def peak(call: Callable[[list, Tensor], Tensor], draw: Draw) -> int:
    layers = [layer(draw, WIDTH, 0.1) for _ in range(DEPTH)]
    x = draw.normal(ROWS, WIDTH).requires_grad_()
    gc.collect()
    with watch() as seen:
        call(layers, x).sum().backward()
    return seen.peak_bytes


@check("lean")
def fits_the_budget(answer: Answer, draw: Draw) -> None:
    whole, mine = peak(plain, draw), peak(raw(answer.run), draw)
    expect(
        mine <= whole / 2,
        f"run with {DEPTH} layers holds {format_bytes(mine)} at its peak; the plain pass holds {format_bytes(whole)}",
        teach="One segment of all layers computes everything again at once; √n segments of √n layers keep the least.",
    )
    note(f"{format_bytes(mine)} at its peak, {format_bytes(whole)} without checkpoints")


@check("lean")
def memory_grows_with_the_square_root(answer: Answer, draw: Draw) -> None:
    few, many = (max(1, most_kept(raw(answer.run), draw, depth)) for depth in (FEW, MANY))
    expect(
        many <= GROWTH * few,
        f"{MANY} layers keep {many} tensors at one time, {FEW} keep {few}: with √n segments {8 * few} are enough",
        teach="A segment for each layer keeps every input, one for all computes everything at once: √n of √n layers.",
    )


class Kept:
    """Counts tensors that are kept for a backward pass, and the most at one time: cheaper than to watch each op."""

    def __init__(self) -> None:
        self.now = self.most = 0

    def keep(self, tensor: Tensor) -> "KeptTensor":
        return KeptTensor(self, tensor)


class KeptTensor:
    def __init__(self, kept: Kept, tensor: Tensor) -> None:
        self.kept, self.tensor = kept, tensor
        kept.now += 1
        kept.most = max(kept.most, kept.now)

    def __del__(self) -> None:
        self.kept.now -= 1


def most_kept(call: Callable[[list, Tensor], Tensor], draw: Draw, depth: int) -> int:
    """With layers of one op that keeps its input: cheap enough for a depth at which segments of a fixed length show."""
    kept = Kept()
    with torch.autograd.graph.saved_tensors_hooks(kept.keep, lambda box: box.tensor):
        call([torch.sin] * depth, draw.normal(2).requires_grad_()).sum().backward()
    return kept.most
