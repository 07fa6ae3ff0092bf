"""Grades zero1: the unsharded optimizer on averaged gradients as the reference; bytes that live between steps."""

import gc
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, format_bytes, note, raw, watch, when
from torchstone.learn.grading.ranks import run_ranks

PROMISES = {
    "Adam keeps two numbers for every weight.": None,
    "With data parallelism every rank keeps the same two: eight ranks, eight copies.": None,
    "`make_optimizer([tensor, …])` returns one, such as `torch.optim.Adam`, for the tensors": None,
    "`step()` is called on every rank.": None,
    "Each has its own gradients in `.grad`, every parameter has one (afterwards": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

CPU = torch.device("cpu")
SHAPES: list[list[tuple[int, ...]]] = [
    [(1,)],
    [(4,)],
    [(5,)],
    [(2, 3), (4,), ()],
    [(3,), (1, 1), (2, 5)],
    [(0,), (3, 4)],
]
IN_PLACE = "Others hold views of the parameters, and would see nothing of the step: copy into them, in place."
STEPS = 3
PATIENCE = 50
SLACK_BYTES = 64
"""Adam's counter of steps, and a number or two of one's own."""


def adam(tensors: list[Tensor]) -> torch.optim.Optimizer:
    return torch.optim.Adam(tensors, lr=0.1, betas=(0.8, 0.9), weight_decay=0.1)


def momentum(tensors: list[Tensor]) -> torch.optim.Optimizer:
    return torch.optim.SGD(tensors, lr=0.1, momentum=0.9)


Make = Callable[[list[Tensor]], torch.optim.Optimizer]
Gradients = list[list[list[Tensor]]]
"""By step, by rank, by parameter."""


def interfere(parameters: list[Tensor], step: int) -> None:
    """Someone else changes the weights before the last step, as loading a checkpoint does."""
    if step == STEPS - 1:
        for parameter in parameters:
            parameter.detach().mul_(0.5).add_(1)


def reference(start: list[Tensor], gradients: Gradients, make: Make, summed: bool = False) -> list[Tensor]:
    parameters = [tensor.clone() for tensor in start]
    optimizer = make(parameters)
    for step, by_rank in enumerate(gradients):
        interfere(parameters, step)
        for parameter, *grads in zip(parameters, *by_rank, strict=True):
            total = torch.stack(grads).sum(0)
            parameter.grad = total if summed else total / len(grads)
        optimizer.step()
    return parameters


def expect_steps(answer: Answer, draw: Draw, world: int, makes: list[Make]) -> None:
    draw = draw.on(CPU)
    sharded = raw(answer.ShardedOptimizer)
    cases: list[tuple[list[Tensor], Gradients, Make]] = []
    for make in makes:
        for shapes in SHAPES:
            far = 1e7 if shapes == SHAPES[-1] else 1.0  # no bound is promised
            start = [draw.normal(*shape) * far for shape in shapes]
            gradients = [[[draw.normal(*s) * far for s in shapes] for _ in range(world)] for _ in range(STEPS)]
            cases.append((start, gradients, make))

    def body(rank: int) -> list[list[Tensor]]:
        results = []
        by_case = [[nn.Parameter(tensor.clone()) for tensor in start] for start, _, _ in cases]
        # All are there before one of them steps: each has a state of its own.
        optimizers = [sharded(iter(own), make) for own, (_, _, make) in zip(by_case, cases, strict=True)]
        for parameters, optimizer, (_, gradients, _) in zip(by_case, optimizers, cases, strict=True):
            memory = [parameter.data_ptr() for parameter in parameters]
            for step in range(STEPS):
                interfere(parameters, step)
                for parameter, grad in zip(parameters, gradients[step][rank], strict=True):
                    parameter.grad = grad.clone()
                optimizer.step()
                expect_gradients(parameters, gradients[step], rank)
            kept = memory == [parameter.data_ptr() for parameter in parameters]
            expect(kept, "a parameter lies elsewhere in memory after step()", teach=IN_PLACE)
            results.append([parameter.detach().clone() for parameter in parameters])
        return results

    ranks = run_ranks(body, world)
    for number, (start, gradients, make) in enumerate(cases):
        expected = reference(start, gradients, make)
        summed = reference(start, gradients, make, summed=True)
        for rank in ranks:
            where = f"with parameters of {[list(t.shape) for t in start]} on {world} ranks, after {STEPS} steps of "
            for place, tensor in enumerate(rank.value[number]):
                known = [
                    when(lambda g, e, s=summed[place]: torch.allclose(g, s), "The gradients are added, not averaged."),
                    when(
                        lambda g, e, s=start[place]: torch.equal(g, s * 0.5 + 1), "No step has reached these numbers."
                    ),
                ]
                expect_close(
                    tensor,
                    expected[place],
                    what=f"{where}{make.__name__}, parameter {place} of rank {rank.rank}",
                    teach="Each number is stepped by its owner, from the mean gradient and from the parameter as it is "
                    "now, and then told to everyone.",
                    diagnose=known if world > 1 else (),
                )
                first = ranks[0].value[number][place]
                expect(torch.equal(tensor, first), f"rank {rank.rank} ends with other bits than rank 0")


def expect_gradients(parameters: list[nn.Parameter], by_rank: list[list[Tensor]], rank: int) -> None:
    """Whoever looks at them after a step finds one of the two."""
    for place, parameter in enumerate(parameters):
        own, mean = by_rank[rank][place], torch.stack([grads[place] for grads in by_rank]).mean(0)
        found, near = parameter.grad, 1e-5 * float(mean.abs().sum() + own.abs().sum())
        expect(
            found is not None and any(torch.allclose(found, one, atol=near) for one in (own, mean)),
            f"after step() the .grad of parameter {place} is {found} on rank {rank}: neither its own gradient, {own}, "
            f"nor the mean, {mean}",
            teach="What stands in .grad belongs to the caller: add up a copy, or divide by the ranks there too.",
        )


@check("solved")
def steps_are_right_on_two_ranks(answer: Answer, draw: Draw) -> None:
    expect_steps(answer, draw, 2, [momentum, adam])


@check("solved")
def steps_are_right_on_three_ranks(answer: Answer, draw: Draw) -> None:
    expect_steps(answer, draw, 3, [adam])


@check("solved")
def one_rank_owns_everything(answer: Answer, draw: Draw) -> None:
    expect_steps(answer, draw, 1, [adam])


def make_small_piece(sharded: Any, start: Tensor) -> tuple[Tensor, Tensor]:
    """What the inner optimizer was given, stepped, and what the parameter became of it."""
    given: list[Tensor] = []

    def make(tensors: list[Tensor]) -> torch.optim.Optimizer:
        given.extend(tensors)
        return adam(tensors)

    parameter = nn.Parameter(start.clone())
    parameter.grad = start.clone()
    sharded([parameter], make).step()
    return torch.cat([start[:0], *(one.detach().flatten() for one in given)]), parameter.detach()


def live_between_steps(sharded: Any, start: list[Tensor], most: int) -> int:
    """Bytes, after two steps."""
    parameters = [nn.Parameter(tensor) for tensor in start]
    for parameter in parameters:
        parameter.grad = parameter.detach().clone()
    gc.collect()
    with watch() as seen:
        optimizer: Any = sharded(parameters, adam)
        optimizer.step()
        optimizer.step()
        for parameter in parameters:
            parameter.grad = None  # the caller's
        gc.collect()
        # gloo's own thread lets go of what it has sent a little later.
        for _ in range(PATIENCE):
            live = seen.live_bytes
            if live <= most:
                break
            time.sleep(0.02)
    del optimizer
    return live


def expect_small_pieces(pieces: list[Tensor], stepped: Tensor) -> None:
    """For a few numbers that the ranks cannot share out evenly."""
    world, n = len(pieces), len(stepped)
    for rank, piece in enumerate(pieces):
        expect(
            len(piece) <= -(-n // world),
            f"rank {rank} of {world} steps {len(piece)} of {n} numbers, and should step {-(-n // world)} at most",
            teach="State for one's own piece only, and pieces of ⌈n / world⌉: nobody gets what is left over.",
        )
    expect_close(
        torch.cat(pieces)[:n],
        stepped,
        what=f"of {n} numbers on {world} ranks, the pieces that the inner optimizers stepped, by rank,",
        teach="Rank r owns the r-th piece of the vector: pieces hang together, and follow one another as the ranks do.",
    )


@check("lean")
def state_is_shared_out(answer: Answer, draw: Draw) -> None:
    world, n = 3, 1000
    most = 3 * 4 * -(-n // world) + SLACK_BYTES
    draw = draw.on(CPU)
    sharded = raw(answer.ShardedOptimizer)
    few, start = draw.normal(5), [draw.normal(n - 300), draw.normal(30, 10)]

    def body(rank: int) -> tuple[Tensor, Tensor, int]:
        return *make_small_piece(sharded, few), live_between_steps(sharded, start, most)

    ranks = run_ranks(body, world)
    expect_small_pieces([rank.value[0] for rank in ranks], ranks[0].value[1])
    for rank in ranks:
        live = rank.value[2]
        expect(
            live <= most,
            f"rank {rank.rank} of {world} keeps {format_bytes(live)} between steps for {n} parameters; "
            f"{format_bytes(most)} are enough",
            teach="State for one's own piece only, and no slice of a larger tensor, which keeps all of it alive.",
        )
        note(f"{format_bytes(live)} between steps, {format_bytes(most)} allowed")
