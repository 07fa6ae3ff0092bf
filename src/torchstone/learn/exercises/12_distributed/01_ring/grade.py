"""Grades ring: the plain sum as the reference; every communication of every rank is seen at the dispatcher."""

import torch
import torch.distributed as dist
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, format_bytes, note, raw, when
from torchstone.learn.grading.ranks import Rank, Sent, run_ranks

PROMISES = {
    "In a ring each rank sends to its right neighbour,": "few_bytes_are_sent",
    "Then each rank holds one part that is summed over all ranks.": "few_bytes_are_sent",
    "In `world − 1` more steps the finished parts travel once around.": "few_bytes_are_sent",
    "Parts have at most ⌈elements / world⌉ numbers, some may be empty": "few_bytes_are_sent",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SHAPES: list[tuple[tuple[int, ...], torch.dtype]] = [
    ((1,), torch.float32),
    ((2,), torch.float32),
    ((6,), torch.float32),
    ((7,), torch.float64),
    ((), torch.float32),
    ((3, 5), torch.float32),
    ((2, 2, 4), torch.int64),
    ((8,), torch.float32),
    ((8,), torch.float32),
    ((5,), torch.int32),
    ((4,), torch.float16),
    ((4,), torch.bfloat16),
    ((4,), torch.int8),
    ((0,), torch.float32),
    ((2, 0), torch.int64),
    ((60,), torch.float32),
    ((12,), torch.uint8),
    ((400,), torch.int32),
]
SELDOM = [((5,), torch.complex64), ((7,), torch.int16)]
"""What gloo's collectives do not know: only where those have been ruled out already."""
HIGH = {torch.int64: 2**60, torch.float64: 2**40, torch.int32: 2**28, torch.int8: 20, torch.uint8: 250}
"""Beyond what a narrower dtype, or for int64 any float, holds."""
CPU = torch.device("cpu")
LENGTHS = [(37, torch.float32), (2, torch.float32), (0, torch.float32), (200, torch.float16), (11, torch.int64)]
ALLOWED = {"send", "recv"}
TEACH = "Each part must meet every rank once while it is added up, and every rank once more when it is whole."


def tensors(draw: Draw, shape: tuple[int, ...], dtype: torch.dtype, world: int) -> list[Tensor]:
    """One for each rank; whole numbers are drawn for every dtype, so that the order of adding does not matter."""
    while True:
        # Beyond what float32 holds, where the dtype holds it.
        high = HIGH.get(dtype, 50)
        low = 0 if dtype == torch.uint8 else -high
        made = [draw.on(CPU).integers(*shape, low=low, high=high, dtype=dtype) for _ in range(world)]
        if dtype.is_complex:
            made = [one * (1 + 2j) + 3j for one in made]
        total = torch.stack(made).sum(0, dtype=dtype)
        # Not where a rank came with the mean, or with the sum: the mistakes could not be told apart.
        if (
            world == 1
            or not total.numel()
            or not any(torch.equal(one * world, total) or torch.equal(one, total) for one in made)
        ):
            return made


def expect_point_to_point(ranks: list[Rank]) -> None:
    for rank in ranks:
        for one in rank.sent:
            if one.name not in ALLOWED:
                fail(
                    f"rank {rank.rank} calls {one.name}, which this exercise rules out",
                    teach="A collective is what you are writing: send and receive between neighbours.",
                )


def expect_sums(answer: Answer, draw: Draw, world: int) -> None:
    reduce = raw(answer.ring_all_reduce)
    shapes = [*SHAPES, *SELDOM] if world == 3 else SHAPES
    cases = [tensors(draw, shape, dtype, world) for shape, dtype in shapes]
    cases += [[one.mT for one in tensors(draw, (3, 4), torch.float32, world)]]
    cases += [[one[::2] for one in tensors(draw, (7, 2), torch.int64, world)]]
    rounded = [draw.on(CPU).normal(64) for _ in range(world)]

    def body(rank: int) -> tuple[list[tuple[Tensor, Tensor]], Tensor]:
        own = [case[rank].clone() for case in cases]
        results = [reduce(tensor) for tensor in own]
        for result, tensor in zip(results, own, strict=True):
            shares = result is tensor or (tensor.numel() and result.data_ptr() == tensor.data_ptr())
            expect(not shares, "the result lies in the memory of what was handed in", teach="Return a new tensor.")
        return list(zip(results, own, strict=True)), reduce(rounded[rank])

    ranks = run_ranks(body, world)
    expect_point_to_point(ranks)
    for number, case in enumerate(cases):
        total = torch.stack(case).sum(0, dtype=case[0].dtype)
        for rank in ranks:
            result, given = rank.value[0][number]
            shown = ", ".join(str(one.tolist()) for one in case)
            what = f"with {shown} on {world} ranks, the result of rank {rank.rank}"
            own = case[rank.rank]
            known = [
                when(
                    lambda got, e, own=own: torch.equal(got, own),
                    "That is what this rank came with: was nothing added, or did the sum never come back?",
                ),
                when(
                    lambda got, e, w=world: torch.allclose(got * w, e), "That is the mean; the task asks for the sum."
                ),
            ]
            expect_close(
                result,
                total,
                what=what,
                teach=TEACH,
                diagnose=known if world > 1 and own.numel() else (),
                rtol=0,
                atol=0,
            )
            expect_close(
                given,
                own,
                what=f"what rank {rank.rank} handed in, after the call,",
                teach="The caller still needs its own tensor: work on a copy.",
            )

    for rank in ranks:
        # The order of adding decides the last bits: whoever adds by itself has others than its neighbour.
        expect_close(rank.value[1], torch.stack(rounded).sum(0), what=f"the sum of {world} normal vectors", teach=TEACH)
        expect(
            torch.equal(rank.value[1], ranks[0].value[1]),
            f"rank {rank.rank} of {world} has a sum with other last bits than rank 0",
            teach="The same on every rank: a part is added up once, and then handed round as it is.",
        )


@check("solved")
def sum_is_right_with_two_ranks(answer: Answer, draw: Draw) -> None:
    expect_sums(answer, draw, 2)


@check("solved")
def sum_is_right_with_three_ranks(answer: Answer, draw: Draw) -> None:
    expect_sums(answer, draw, 3)


@check("solved")
def one_rank_is_a_ring_too(answer: Answer, draw: Draw) -> None:
    expect_sums(answer, draw, 1)


@check("lean")
def few_bytes_are_sent(answer: Answer, draw: Draw) -> None:
    world = 3
    cases = [tensors(draw, (length,), dtype, world) for length, dtype in LENGTHS]
    reduce = raw(answer.ring_all_reduce)

    def body(rank: int) -> None:
        for case in cases:
            reduce(case[rank])
            dist.all_reduce(torch.zeros(1))  # a mark between the cases, which the answer itself may not make

    for rank in run_ranks(body, world):
        sends: list[Sent] = []
        left = iter(cases)
        for one in rank.sent:
            if one.name == "all_reduce":
                expect_few(rank.rank, sends, next(left)[0], world)
                sends = []
            elif one.name == "send":
                sends.append(one)
    note(f"at most {2 * (world - 1)} parts from each rank")


def expect_few(rank: int, sends: list[Sent], tensor: Tensor, world: int) -> None:
    length, size = tensor.numel(), tensor.element_size()
    most = 2 * (world - 1) * -(-length // world) * size
    total = sum(one.size_bytes for one in sends)
    what = f"{length} numbers of {tensor.dtype}"
    expect(
        total <= most,
        f"rank {rank} sends {format_bytes(total)}, and {format_bytes(most)} are enough for {what}",
        teach="Only one part of the tensor, 1/world of it, should be on a wire at a time.",
    )
    full = [one for one in sends if one.numbers]
    expect(
        len(full) <= 2 * (world - 1),
        f"rank {rank} sends {len(full)} times, and {2 * (world - 1)} parts are enough for {what}",
        teach="A part travels as a whole: every message costs time, however small it is.",
    )
    longest = max((one.size_bytes for one in full), default=0)
    expect(
        longest <= -(-length // world) * size,
        f"rank {rank} sends {longest} bytes at once; a part has {-(-length // world) * size} at most, of {what}",
        teach="Only one part of the tensor, 1/world of it, should be on a wire at a time.",
    )
    right = (rank + 1) % world
    others = sorted({one.peer for one in sends} - {right})
    expect(
        not others,
        f"rank {rank} sends to rank {', '.join(map(str, others))}; its right neighbour is rank {right}",
        teach="In a ring everyone sends to one side only, so that each wire carries the same.",
    )
