"""Grades moe: token by token in float64 as the reference; the experts themselves count what they are asked."""

import copy
from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_same, expect_same_ops, looks_like

PROMISES = {
    "There is one token at least.": None,
    "It is 1 when all are used alike.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1, 1, 1, 1), (2, 1, 2, 2, 1), (3, 4, 3, 2, 2), (6, 3, 5, 4, 2), (9, 4, 4, 3, 3), (12, 5, 4, 5, 4)]
"""Tokens, width, width out, experts, k."""
IN_FLOAT32 = 1e-6
"""Whoever divides counts gets a share in torch's default dtype."""
MORE = "An expert that sees every token is a large layer again: hand it only those that chose it."
FEWER = "A token goes to all of its k experts, however small their weights are."


class Expert(nn.Module):
    """A small layer that remembers how many tokens it was asked about, call by call."""

    def __init__(self, draw: Draw, width: int, out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(draw.normal(width, out))
        self.asked: list[int] = []
        self.axes: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        self.asked.append(len(x))
        self.axes.append(x.ndim)
        return (x @ self.weight).tanh() * 3 + 1


def make_case(
    draw: Draw, tokens: int, width: int, out: int, count: int, k: int
) -> tuple[Tensor, Tensor, list[Expert], int]:
    experts = [Expert(draw, width, out) for _ in range(count)]
    return draw.normal(tokens, width), distinct_logits(draw, tokens, count), experts, k


def steep_case(draw: Draw, *size: int) -> tuple[Tensor, Tensor, list[Expert], int]:
    """All weights of a token but the largest round to 0."""
    x, logits, experts, k = make_case(draw, *size)
    return x, logits * 2000, experts, k


def distinct_logits(draw: Draw, tokens: int, count: int) -> Tensor:
    """No two logits of a token are nearer than 0.1: there are no ties."""
    ranks = torch.rand(tokens, count, generator=draw.generator).argsort(-1).double()
    return draw.place(ranks * 0.5 + 0.4 * torch.rand(tokens, count, generator=draw.generator) - 1)


def one_by_one(x: Tensor, logits: Tensor, experts: Sequence[nn.Module], k: int, mode: str = "right") -> Tensor:
    rows = []
    for token, scores in zip(x, logits, strict=True):
        best = scores.argsort(descending=True)[:k]
        everything = scores.double().softmax(-1)[best]
        weights = {
            "right": scores[best].double().softmax(-1),
            "all": everything,
            "equal": torch.full_like(everything, 1 / k),
        }[mode]
        parts = [w * experts[e](token[None])[0] for w, e in zip(weights, best.tolist(), strict=True)]
        rows.append(sum(parts))
    return torch.stack(rows).to(x.dtype)


@check("solved")
def mixture_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda *args: one_by_one(*args, mode="all"),
            "Softmax over all experts: the weights of the chosen ones no longer add up to 1. Take it over the k best.",
        ),
        looks_like(lambda *args: one_by_one(*args, mode="equal"), "The chosen experts are not weighted."),
        looks_like(
            lambda x, logits, experts, k: one_by_one(x, logits, experts, len(experts)),
            "Every expert has its say here: only the k best may.",
        ),
    ]
    teach = (
        "A token's result is the sum over its k experts, each with its weight: parts must be added, not overwritten."
    )
    for case in draw.cases(make_case, SIZES, repeats=3):
        expect_same(answer.mixture, one_by_one, *case, diagnose=known, teach=teach, rtol=1e-3, atol=1e-4)
    for case in draw.cases(make_case, SIZES[2:4], dtypes=(torch.float64,)):
        expect_same(answer.mixture, one_by_one, *case, teach="Weights have the dtype of the logits: float64 stays so.")


@check("solved")
def experts_see_their_own_tokens(answer: Answer, draw: Draw) -> None:
    steep = draw.cases(steep_case, SIZES, repeats=1)
    for x, logits, experts, k in chain(draw.cases(make_case, SIZES), steep):
        answer.mixture(x, logits, experts, k)
        chosen = logits.cpu().topk(k).indices
        for index, expert in enumerate(experts):
            wanted = int((chosen == index).sum())
            expect(
                set(expert.axes) <= {2},
                f"expert {index} was given a tensor of {expert.axes[:1]} axes for {wanted} tokens, not of 2",
                teach="An expert takes (n, width), also where one token alone has chosen it.",
            )
            expect(
                sum(expert.asked) == wanted,
                f"expert {index} was asked about {sum(expert.asked)} tokens; {wanted} of {len(x)} chose it",
                teach=MORE if sum(expert.asked) > wanted else FEWER,
            )
            expect(
                len(expert.asked) <= 1,
                f"expert {index} was called {len(expert.asked)} times for {wanted} tokens",
                teach="Collect all tokens of an expert and call it once: a loop over tokens makes many tiny products.",
            )


@check("solved")
def gradients_are_right(answer: Answer, draw: Draw) -> None:
    for x, logits, experts, k in draw.cases(make_case, SIZES[1:]):
        twins = copy.deepcopy(experts)
        mine = x.clone().requires_grad_(), logits.clone().requires_grad_()
        theirs = x.cpu().clone().requires_grad_(), logits.cpu().clone().requires_grad_()
        result = answer.mixture(*mine, experts, k)
        expected = one_by_one(*theirs, [twin.cpu() for twin in twins], k)
        direction = draw.normal(*expected.shape)
        (result * direction).sum().backward()
        (expected * direction.cpu()).sum().backward()
        teach = "x, the router's logits and the experts all learn: nothing on the way may be detached."
        names = ["x", "logits", *(f"expert {i}" for i in range(len(experts)))]
        got = [*mine, *(expert.weight for expert in experts)]
        for name, one, other in zip(names, got, [*theirs, *(twin.weight for twin in twins)], strict=True):
            wanted = torch.zeros_like(other) if other.grad is None else other.grad
            found = torch.zeros_like(one) if one.grad is None else one.grad
            expect_close(found, wanted, what=f"the gradient in {name}", teach=teach, rtol=1e-3, atol=1e-4)


def balance(logits: Tensor, k: int, mode: str = "right") -> Tensor:
    count = logits.shape[-1]
    choices = torch.zeros(count, dtype=torch.float64)
    for row in logits:
        choices[row.argsort(descending=True)[: 1 if mode == "first" else k]] += 1
    shares = choices if mode == "counts" else choices / choices.sum()
    means = logits.double().softmax(-1).mean(0)
    return ((1 if mode == "mean" else count) * (shares * means).sum()).to(logits.dtype)


def router(draw: Draw, tokens: int, count: int, k: int) -> tuple[Tensor, int]:
    return distinct_logits(draw, tokens, count) * 2, k


def shunning_router(draw: Draw, tokens: int, count: int, k: int) -> tuple[Tensor, int]:
    """Nobody chooses the last expert."""
    logits, _ = router(draw, tokens, count, k)
    logits[:, -1] -= 10
    return logits, k


@check("solved")
def balance_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda *args: balance(*args, mode="mean"), "The factor E is missing: with all used alike it is 1."),
        looks_like(
            lambda *args: balance(*args, mode="counts"), "These are counts: fₑ is a share of tokens · k choices."
        ),
        looks_like(
            lambda *args: balance(*args, mode="first"), "Only the first choice is counted: a token makes k of them."
        ),
    ]
    teach = "E · Σ fₑ · pₑ: fₑ counts choices, pₑ is the mean softmax over all experts."
    sizes = [(1, 1, 1), (1, 2, 1), (2, 3, 2), (5, 4, 1), (8, 4, 3), (7, 5, 5)]
    usual = draw.cases(router, sizes, dtypes=(torch.float32, torch.float64))
    for logits, k in chain(usual, draw.cases(shunning_router, [(5, 4, 1), (8, 4, 3)])):
        expect_same(answer.balance_loss, balance, logits, k, diagnose=known, teach=teach, rtol=IN_FLOAT32)
        mine, theirs = logits.clone().requires_grad_(), logits.cpu().clone().requires_grad_()
        loss = answer.balance_loss(mine, k)
        no_gradient = "The loss has no gradient: pₑ must come from the logits by softmax, without detach."
        expect(loss.requires_grad, "the loss does not require grad", teach=no_gradient)
        loss.backward()
        balance(theirs, k).backward()
        expect_close(mine.grad, theirs.grad, what="the gradient of balance_loss", teach=no_gradient, atol=IN_FLOAT32)


@check("solved")
def crowded_experts_serve_everyone(answer: Answer, draw: Draw) -> None:
    teach = "An expert takes every token that chose it, however many do."
    for tokens, experts, k in ((12, 6, 1), (40, 5, 2), (1_100, 8, 1)):
        x, logits, layers, k = make_case(draw, tokens, 3, 2, experts, k)
        logits[:, draw.integer(0, experts - 1)] += 20  # everyone's favourite
        logits[0, draw.integer(0, experts - 1)] += 40  # and one token may have another
        expect_same(answer.mixture, one_by_one, x, logits, layers, k, teach=teach, rtol=1e-3, atol=1e-4)


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    few, many = make_case(draw, 40, 4, 4, 3, 2), make_case(draw, 1_200, 4, 4, 3, 2)
    expect_same_ops(
        answer.mixture, few, many, teach="Loop over experts, of which there are few, and never over tokens."
    )
    expect_same_ops(answer.balance_loss, (few[1], 2), (many[1], 2), teach="Count with scatter, bincount or one_hot.")
