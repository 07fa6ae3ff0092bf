"""Grades profile: functions whose hot op is known, and a one-hot product that is a lookup."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.profiler import profile

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_fast,
    expect_same,
    expect_same_gradients,
    raw,
    rests_on_a_clock,
    watch_call,
)

PROMISES = {
    "`features(tokens, table, weight)`: gets its result from `table`": "features_are_right",
    "Guessing where time goes is wrong more often than not; torch has a profiler that knows.": None,
    "`hottest(function)` → `str`: calls `function()` once under `torch.profiler` and returns": "names_the_hot_op",
    "Not the op that is called most often; and not": "names_the_hot_op",
    "Let `hottest` find the op that takes the time, see": "features_are_fast",
    "Fast:": "features_are_fast",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

os.environ["KINETO_LOG_LEVEL"] = "99"  # the profiler would write into what the learner's code prints
BIG, SIDE = 1_000_000, 512
ENOUGH, TOO_MANY = 2, 3
"""Right ones, before so many wrong ones, where the answer's own profile is not to be had: a busy machine can stop any
call for a while, for good or ill."""
TRIES = 16
"""On a busy machine a small call that was stopped looks large, and a wrong reading of such a profile can be right:
only a profile that tells the two apart counts as one of the right ones."""
TOGETHER = "What counts is the time of all calls of an op together, not of one of them."
OFTEN = "Forty small additions take less than one large cosine: ask for the time."
INSIDE = "aten::linear only calls aten::addmm: self_cpu_time_total leaves that out."
FIRST = "The first entry is not the largest: compare their times."
ELSEWHERE = "An op that another library brings along is an op: its name has another prefix."


def reference(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    rows = torch.stack([table[token] for token in tokens.tolist()]).double()
    return torch.tanh((rows - rows.mean(1, keepdim=True)) @ weight.double()).to(table.dtype)


def quick(tokens: Tensor, table: Tensor, weight: Tensor) -> Tensor:
    rows = table[tokens]
    return torch.tanh((rows - rows.mean(1, keepdim=True)) @ weight)


def case(draw: Draw, n: int, vocabulary: int, d: int, m: int) -> tuple[Tensor, Tensor, Tensor]:
    return draw.integers(n, high=vocabulary), draw.normal(vocabulary, d), draw.normal(d, m)


@torch.library.custom_op("exercise::pause", mutates_args=())
def pause(x: Tensor) -> Tensor:
    """An op that is not torch's own, and slow."""
    time.sleep(0.02)
    return x.clone()


def stories(draw: Draw) -> list[tuple[str, Callable[[], object], str]]:
    """Functions, their hot op, which takes at least four times as long as the rest, and what is special about them."""
    # Always on the CPU: elsewhere the device, and not torch, decides what an op's own time is.
    cpu = draw.on(torch.device("cpu"))
    many, tiny, square = cpu.uniform(BIG, low=0.1), cpu.normal(4), cpu.normal(SIDE, SIDE)
    layer = torch.nn.Linear(SIDE, SIDE)

    def often_and_small() -> None:
        for _ in range(40):
            tiny.add(1)
        many.cos()

    def inside_another() -> None:
        with torch.no_grad():
            layer(square)

    def last_of_three() -> None:
        tiny.exp().neg()
        many[: BIG // 4].sort()

    def many_cosines() -> None:
        # One sine takes as long as ten cosines, whatever the machine; all forty cosines take four times as long.
        many.sin()
        for less in range(40):  # of forty shapes: they are one op all the same
            many[: BIG // 10 - less].cos()

    def many_sines() -> None:
        many.cos()
        some = many[: BIG // 20]
        for _ in range(80):
            some.sin()

    def from_elsewhere() -> None:
        pause(tiny)
        tiny.exp()

    return [
        ("exercise::pause", from_elsewhere, ELSEWHERE),
        ("aten::cos", many_cosines, TOGETHER),
        ("aten::sin", many_sines, TOGETHER),
        ("aten::sort", last_of_three, FIRST),
        ("aten::cos", often_and_small, OFTEN),
        ("aten::addmm", inside_another, INSIDE),
    ]


@check("solved")
def names_the_hot_op(answer: Answer, draw: Draw) -> None:
    rests_on_a_clock()
    chosen = stories(draw)
    draw.random.shuffle(chosen)
    for name, function, teach in chosen:
        function()  # what only the first call does is not the op's own time
        expect_named(answer, name, function, teach)


def expect_named(answer: Answer, name: str, function: Callable[[], object], teach: str) -> None:
    right, wrong = 0, []
    for _ in range(TRIES):
        got, kept = hottest_once(answer, function)
        if kept is not None:
            measured, mistakes = kept
            sentences = [sentence for sentence, ops in mistakes.items() if got in ops]
            message = f"hottest returned {got!r} where {measured} takes nearly all the time"
            expect(got == measured, message, teach=teach if teach in sentences else next(iter(sentences), teach))
            right += measured not in mistakes[teach]
        elif got == name:
            right += 1
        else:
            wrong.append(got)
        if right == ENOUGH or len(wrong) == TOO_MANY:
            break
    message = f"hottest returned {wrong[:1]} where {name} takes nearly all the time"
    expect(len(wrong) < TOO_MANY, message, teach=teach)


def hottest_once(
    answer: Answer, function: Callable[[], object]
) -> tuple[object, tuple[str, dict[str, set[str]]] | None]:
    """What the answer says, and what its own profile says, right and misread: a pause of the machine is in both."""
    calls: list[object] = []
    with kept_profiles() as kept:
        got = raw(answer.hottest)(lambda: calls.append(function()))
    expect(len(calls) == 1, f"hottest called its function {len(calls)} times", teach="One call is enough.")
    entries = [entry for entry in kept[-1].key_averages() if "::" in entry.key] if kept else []
    if not entries:
        return got, None
    return got, (max(entries, key=lambda entry: entry.self_cpu_time_total).key, misread(kept[-1], entries))


def misread(kept: profile, entries: list[Any]) -> dict[str, set[str]]:
    """The names that each mistake finds in this profile, by what is to be said of it."""
    own = [entry for entry in entries if entry.key.startswith("aten::")]
    calls = [event for event in kept.function_events if "::" in event.name]
    return {
        INSIDE: {max(entries, key=lambda entry: entry.cpu_time_total).key},
        TOGETHER: {
            max(entries, key=lambda entry: entry.self_cpu_time_total / entry.count).key,
            max(calls, key=lambda event: event.self_cpu_time_total).name,
        },
        ELSEWHERE: {max(own, key=lambda entry: entry.self_cpu_time_total).key} if own else set(),
        OFTEN: {max(entries, key=lambda entry: entry.count).key},
        FIRST: {entries[0].key},
    }


@contextmanager
def kept_profiles() -> Iterator[list[profile]]:
    """Every profile that ends inside: all of torch's profilers end by this one method."""
    kept: list[profile] = []
    plain = profile.__exit__

    def keep_and_exit(self: profile, *what: object) -> object:
        kept.append(self)
        return plain(self, *what)

    profile.__exit__ = keep_and_exit
    try:
        yield kept
    finally:
        profile.__exit__ = plain


@check("solved")
def features_are_right(answer: Answer, draw: Draw) -> None:
    sizes = [(1, 1, 1, 1), (2, 3, 2, 1), (5, 4, 3, 2), (3, 9, 4, 5)]
    for arguments in draw.cases(case, sizes, dtypes=(torch.float32, torch.float64), layouts=("contiguous", "strided")):
        fine = {"rtol": 1e-11, "atol": 1e-13} if arguments[1].dtype == torch.float64 else {}
        expect_same(answer.features, reference, *arguments, **fine)
    tokens, table, weight = case(draw, 5, 4, 3, 2)
    narrow = "Tokens are whole numbers, of int32 too: an index takes both."
    expect_same(answer.features, reference, tokens.int(), table, weight, teach=narrow)
    for _ in range(2):
        kept = "A table that is trained changes in place and stays the same object: keep nothing of an earlier call."
        expect_same(answer.features, reference, tokens, table, weight, teach=kept)
        table.mul_(-2)
        weight.add_(1)
    teach = "The table and the weight are trained: the gradient must still find its way to both."
    for _, table, weight in draw.cases(case, [(5, 4, 3, 2)], dtypes=(torch.float64,)):
        every = torch.cat([draw.permutation(len(table)), draw.integers(2, high=len(table))])  # no row is left out
        expect_same_gradients(answer.features, reference, every, table, weight, wrt=(1, 2), teach=teach)


@check("solved")
def features_have_no_bounds(answer: Answer, draw: Draw) -> None:
    teach = "The result stays the same: large rows are not cut off."
    tokens, table, weight = case(draw, 5, 4, 3, 2)
    expect_same(answer.features, reference, tokens, 1e6 * table, 1e-6 * weight, teach=teach)
    none = answer.features(tokens[:0], table, weight)
    expect(none.shape == (0, 2), f"for no tokens the result is of {list(none.shape)}", teach="No token, no row.")


@check("fast")
def features_are_fast(answer: Answer, draw: Draw) -> None:
    inputs = [case(draw, 256, 2000, 32, 8) for _ in range(3)]
    teach = "A row with a single 1 times a table is one row of the table: look it up instead of multiplying zeros."
    # Counted first, which a busy machine can't blur: eight tokens need eight rows of ten thousand.
    vocabulary = 10_000
    seen = watch_call(raw(answer.features), *case(draw, 8, vocabulary, 16, 4))
    expect(
        seen.peak_bytes < 4 * vocabulary,
        f"for 8 tokens of {vocabulary:,}, features made {seen.peak_bytes:,} bytes at one time",
        teach=f"{teach} Only the rows that the tokens name are needed.",
    )
    expect_fast(answer.features, quick, inputs, ratio=1.6, budget_s=0.3, teach=teach)
