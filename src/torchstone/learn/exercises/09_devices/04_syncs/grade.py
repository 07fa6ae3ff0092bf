"""Grades syncs: a plain reference, waits counted at two lengths, and a device that works while the host sleeps."""

import time
from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_fast,
    expect_no_waits,
    expect_same,
    looks_like,
    note,
    pretend_device,
    raw,
    watch,
    watch_call,
)

PROMISES = {
    "One whose loss is finite is not, whatever its gradient.": "large_losses_count",
    "`batches` is any iterable of pairs `(x, y)`, `(n, d)` and `(n,)` with n ≥ 1": "plain_batches_are_right",
    "Fast: as fast as the reference while the host makes the next batch.": "host_and_device_overlap",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WAITS = 2
"""One read of everything, and one more for those who read the count on its own."""
MANY = 150
"""Batches, for those who read now and then."""
OP_S, HOST_S, BATCHES = 0.0006, 0.006, 5


def reference(weight: Tensor, batches: list, rate: float) -> tuple[Tensor, dict]:
    losses, weight = [], weight.double()
    for x, y in batches:
        error = x.double() @ weight - y.double()
        loss = error.square().mean()
        # Finite in the dtype of the learner's loss: the square of 1e25 is not, though its gradient is.
        if loss.float().isfinite():
            weight = weight - rate * 2 * (x.double().T @ error) / len(y)
            losses.append(loss.item())
    mean = sum(losses) / len(losses) if losses else 0.0
    skipped = len(batches) - len(losses)
    return weight.float(), {"mean": mean, "worst": max(losses, default=0.0), "skipped": skipped}


def waiting(weight: Tensor, batches: list, rate: float) -> tuple[Tensor, dict]:
    """What the reference does, without a wait: timed against the learner's."""
    losses, kept = [], []
    for x, y in batches:
        error = x @ weight - y
        loss = error.square().mean()
        finite = loss.isfinite()
        weight = weight - torch.where(finite, rate * 2 / len(y) * (x.T @ error), 0.0)
        losses.append(torch.where(finite, loss, 0.0))
        kept.append(finite)
    stacked = torch.stack(losses)
    total, worst, count = torch.stack([stacked.sum(), stacked.max(), torch.stack(kept).sum()]).tolist()
    return weight, {"mean": total / max(count, 1), "worst": worst, "skipped": len(losses) - int(count)}


def some_batches(draw: Draw, count: int, n: int, d: int, spoiled: int = 0) -> tuple[Tensor, list, float]:
    batches = [(draw.normal(n, d), draw.normal(n)) for _ in range(count)]
    for place in draw.random.sample(range(count), spoiled):
        x, y = batches[place]
        poison = draw.choice([torch.nan, torch.inf, -torch.inf, 1e25])
        if draw.choice([True, False]):
            x[draw.integer(0, n - 1), draw.integer(0, d - 1)] = poison
        else:
            y[draw.integer(0, n - 1)] = poison
    return draw.normal(d), batches, draw.choice([0.01, 0.05, 0.1])


@check("solved")
def plain_batches_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(some_batches, [(1, 1, 1), (1, 3, 2), (3, 2, 2), (5, 4, 3)]):
        expect_same(answer.train, reference, *case, rtol=1e-3)
    weight, batches, rate = some_batches(draw, 80, 2, 1)
    once = "An iterable can be walked through, once: it need not have a length, or a second time."
    got = raw(answer.train)(weight, iter(batches), rate)
    expected = reference(weight.cpu(), [(x.cpu(), y.cpu()) for x, y in batches], rate)
    expect_close(got, expected, what="the result for an iterator of batches", teach=once, rtol=1e-3)


@check("solved")
def spoiled_batches_are_skipped(answer: Answer, draw: Draw) -> None:
    teach = "A batch with a loss that is not finite must change nothing; NaN times 0 is NaN, torch.where chooses."
    uncounted = looks_like(
        lambda *case: (reference(*case)[0], reference(*case)[1] | {"skipped": 0}),
        "The skipped batches are not counted: the report has to say how many there were.",
    )
    all_in = looks_like(
        lambda weight, batches, rate: (reference(weight, batches, rate)[0], over_all(weight, batches, rate)),
        "The mean is over the batches that counted, not over all of them.",
    )
    for case in draw.cases(some_batches, [(1, 2, 2, 1), (2, 2, 2, 1), (4, 3, 2, 2), (3, 2, 2, 3)], repeats=3):
        expect_same(answer.train, reference, *case, teach=teach, diagnose=[uncounted, all_in], rtol=1e-3)


def over_all(weight: Tensor, batches: list, rate: float) -> dict:
    report = reference(weight, batches, rate)[1]
    return report | {"mean": report["mean"] * (len(batches) - report["skipped"]) / len(batches)}


@check("solved")
def no_batches_at_all(answer: Answer, draw: Draw) -> None:
    teach = "An epoch without a batch leaves the weight as it is and reports zeros."
    expect_same(answer.train, reference, draw.normal(2), [], 0.1, teach=teach)


@check("solved")
def large_losses_count(answer: Answer, draw: Draw) -> None:
    teach = "Large is not infinite: only a loss that is not finite is skipped, whatever its gradient."
    weight = torch.zeros(1, device=draw.device)
    for x, y in ((1.0, 1e17), (1e35, 1e10)):
        one = torch.full((1, 1), x, device=draw.device), torch.full((1,), y, device=draw.device)
        expect_same(answer.train, reference, weight, [one], 0.1, teach=teach, rtol=1e-3)


@check("solved")
def batches_differ_in_length(answer: Answer, draw: Draw) -> None:
    teach = "The last batch is often a shorter one: n is that of the batch at hand."
    batches = [(draw.normal(n, 2), draw.normal(n)) for n in (1, 5, 2)]
    expect_same(answer.train, reference, draw.normal(2), batches, 0.1, teach=teach, rtol=1e-4)


@check("lean")
def waits_do_not_grow(answer: Answer, draw: Draw) -> None:
    teach = "Each wait empties the device's queue: keep losses and decisions on the device, and read once, at the end."
    with pretend_device() as device:  # on the CPU nobody can tell what has been read from what is still there
        here = draw.on(device)
        few, many = (watch_call(answer.train, *some_batches(here, count, 3, 2, spoiled=1)) for count in (2, MANY))
    where = many.waits[0][1] if many.waits else None
    line = f"; the first in line {where.line}: {where.text}" if where else ""
    counts = f"{len(few.waits)} times over 2 batches and {len(many.waits)} times over {MANY}"
    expect(
        len(many.waits) <= WAITS,
        f"train waits for the device {counts}{line}",
        teach=teach,
    )
    note(f"{len(many.waits)} waits over {MANY} batches")


class SlowLoader:
    """Batches that cost the host time, as reading files does."""

    def __init__(self, batches: list) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for batch in self.batches:
            time.sleep(HOST_S)
            yield batch


def expect_device_is_fed(answer: Answer, weight: Tensor, batches: list, rate: float) -> None:
    """Counted: when the host is asked for another batch, the device has got work for the one before."""
    done: list[int] = []

    def made_one_by_one() -> Iterator[tuple[Tensor, Tensor]]:
        for one in batches:
            done.append(seen.ops.total())
            yield one

    with watch() as seen:
        raw(answer.train)(weight, made_one_by_one(), rate)
    idle = sum(later == sooner for sooner, later in pairwise(done))
    expect(
        idle <= 1,  # one batch ahead is as good
        f"of {len(batches)} batches, {idle} were asked for before the device had any work for the one before",
        teach="The device works while the host makes the next batch: use each one as soon as it is there.",
    )


@check("fast")
def host_and_device_overlap(answer: Answer, draw: Draw) -> None:
    teach = "While the host waits it prepares nothing, and while it prepares the device idles: let the queue run ahead."
    with pretend_device(asynchronous=True, op_seconds=OP_S) as device:
        here = draw.on(device)
        inputs = []
        for _ in range(2):
            weight, batches, rate = some_batches(here, BATCHES, 4, 3)
            inputs.append((weight, SlowLoader(batches), rate))
        # Counted first, which a busy machine can't blur; the clock then finds what no count shows.
        expect_no_waits(answer.train, *some_batches(here, BATCHES, 4, 3), at_most=WAITS, teach=teach)
        expect_device_is_fed(answer, *some_batches(here, 12, 4, 3))
        expect_fast(answer.train, waiting, inputs, ratio=1.35, budget_s=0.8, compare=False, teach=teach)
