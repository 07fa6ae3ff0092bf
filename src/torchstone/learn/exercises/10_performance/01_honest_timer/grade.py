"""Grades honest_timer: an asynchronous device whose work takes a known time, and whose first call takes far longer.

A time can't be too short by chance, but it can be too long on a busy machine: what is too long must be so three times.
"""

import time
from collections.abc import Callable
from functools import partial

import torch

from torchstone.learn.grading import Answer, Draw, check, expect, fail, pretend_device
from torchstone.learn.grading.second_device import two_devices
from torchstone.pretend.machine import machine

PROMISES = {
    "On an accelerator `y = x @ w` returns before": None,
    "A timer that does not wait measures how fast one can write orders.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WORK_S = 0.006
"""Device time of one op."""
LONG_S = 0.06
"""Longer than a short sleep lasts on a busy machine."""
COMPILE_S = 0.15
"""What the first call takes on top: nothing that a busy machine adds to each of three attempts."""
ATTEMPTS = 3
NO_WAIT = "The call only queued its work: synchronize before you look at the clock again."
SLOW_S = 0.02
FIRST = "The first call compiles and loads: make it once before you measure, and wait until it is over."
PENDING = "The clock started while the device was still busy with older work: synchronize first."


class Work:
    """A function of `ops` ops on the device; its first call is slow there."""

    def __init__(self, device: torch.device, ops: int, first_s: float = 0.0) -> None:
        self.x = torch.ones(2, device=device)
        self.ops = ops
        self.first_s = first_s
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == 1 and self.first_s:
            queue(self.x.device, self.first_s)
        for _ in range(self.ops):
            self.x.add_(1)


def queue(device: torch.device, seconds: float) -> None:
    """Keep the device busy, without waiting."""
    with pretend_device(asynchronous=True, op_seconds=seconds):
        torch.ones(1, device=device).neg_()


def expect_list(times: object, repeats: int) -> None:
    whole = isinstance(times, list) and len(times) == repeats and all(isinstance(one, float) for one in times)
    expect(whole, f"measure(…, repeats={repeats}) returned {times!r}", teach=f"It returns a list of {repeats} floats.")


def expect_none_too_long(attempt: Callable[[], list[float]], limit_s: float, story: str, teach: str) -> None:
    for _ in range(ATTEMPTS):
        longest = max(attempt())
        if longest < limit_s:
            return
    fail(f"{story}, and the longest time is {longest * 1000:.1f} ms", teach=teach)


def sleep_and_note(calls: list[None]) -> None:
    time.sleep(0.001)
    calls.append(None)


@check("solved")
def counts_its_calls(answer: Answer, draw: Draw) -> None:
    for repeats in (1, 2, 5):
        calls: list[None] = []
        sleep = partial(sleep_and_note, calls)
        times = answer.measure(sleep, torch.device("cpu"), repeats)
        expect_list(times, repeats)
        expect(
            len(calls) == repeats + 1,
            f"with repeats={repeats} the function was called {len(calls)} times, not {repeats + 1}",
            teach="One call to warm up, then one call a time.",
        )
        expect(
            all(one >= 0.001 for one in times),
            f"a function that sleeps 1 ms took {min(times, default=0) * 1000:.3f} ms",
            teach="Times are in seconds, and each covers a whole call.",
        )
    times = answer.measure(lambda: time.sleep(0.0002), torch.device("cpu"), 4)
    whole = "A time is what the clock said: rounded to milliseconds, a short call takes none."
    expect(all(one >= 0.0002 for one in times), f"naps of 0.2 ms took {times}", teach=whole)
    exact = any(abs(one * 1000 - round(one * 1000)) > 1e-6 for one in times)
    expect(exact, f"naps of 0.2 ms took {times}, to the millisecond", teach=whole)


@check("solved")
def each_call_has_its_own_time(answer: Answer, draw: Draw) -> None:
    naps = iter((0.0, 0.0, SLOW_S, 0.0))
    times = answer.measure(lambda: time.sleep(next(naps)), torch.device("cpu"), 3)
    expect_list(times, 3)
    message = f"the second of three calls sleeps {SLOW_S * 1000:.0f} ms, and its time is {times[1] * 1000:.1f} ms"
    expect(times[1] >= SLOW_S, message, teach="Each time is that of one call: read the clock before and after each.")


@check("solved")
def the_cpu_waits_for_nobody(answer: Answer, draw: Draw) -> None:
    waits: list[float] = []
    wait_until = machine.clock.wait_until
    with pretend_device(asynchronous=True, op_seconds=WORK_S) as device:
        queue(device, WORK_S)
        machine.clock.wait_until = lambda moment: (waits.append(moment), wait_until(moment))[1]
        try:
            answer.measure(lambda: None, torch.device("cpu"), 2)
        finally:
            machine.clock.wait_until = wait_until
    teach = "Wait for the device that was named, and for no other: on the CPU there is nothing to wait for."
    expect(not waits, "measure(…, cpu) has waited for another device", teach=teach)


@check("solved")
def waits_for_the_work(answer: Answer, draw: Draw) -> None:
    for ops, op_s, repeats in ((1, WORK_S, 3), (2, WORK_S, 3), (1, LONG_S, 1)):
        with pretend_device(asynchronous=True, op_seconds=op_s) as device:
            times = answer.measure(Work(device, ops), device, repeats)
        expect_list(times, repeats)
        expect(
            min(times) >= ops * op_s,
            f"work of {ops * op_s * 1000:.0f} ms on the device was measured as {min(times) * 1000:.2f} ms",
            teach=NO_WAIT,
        )


@check("solved")
def leaves_the_first_call_out(answer: Answer, draw: Draw) -> None:
    def attempt() -> list[float]:
        with pretend_device(asynchronous=True, op_seconds=WORK_S) as device:
            return answer.measure(Work(device, 1, first_s=COMPILE_S), device, 2)

    limit = 0.8 * COMPILE_S
    story = f"the first call takes {COMPILE_S * 1000:.0f} ms, the others {WORK_S * 1000:.0f} ms"
    expect_none_too_long(attempt, limit, story, FIRST)


@check("solved")
def leaves_older_work_out(answer: Answer, draw: Draw) -> None:
    def attempt() -> list[float]:
        with pretend_device(asynchronous=True, op_seconds=WORK_S) as device:
            work = Work(device, 1)
            queue(device, COMPILE_S)
            return answer.measure(work, device, 2)

    story = f"work of {COMPILE_S * 1000:.0f} ms was queued before, calls take {WORK_S * 1000:.0f} ms"
    expect_none_too_long(attempt, 0.8 * COMPILE_S, story, PENDING)


@check("solved")
def times_one_call_each(answer: Answer, draw: Draw) -> None:
    def attempt() -> list[float]:
        with pretend_device(asynchronous=True, op_seconds=COMPILE_S / 3) as device:
            return answer.measure(Work(device, 1), device, 3)

    story = f"each call takes {COMPILE_S / 3 * 1000:.0f} ms"
    expect_none_too_long(attempt, COMPILE_S / 3 * 1.7, story, "Each time is that of one call, not of all so far.")


@check("solved")
def waits_for_the_device_that_is_named(answer: Answer, draw: Draw) -> None:
    with pretend_device(), two_devices() as (second, asked):
        expect_list(answer.measure(lambda: asked.seen.append("call"), second, 2), 2)
    calls = [place for place, what in enumerate(asked.seen) if what == "call"]
    spans = [asked.seen[begin:end] for begin, end in zip(calls, [*calls[1:], None], strict=True)]
    teach = "Without an argument synchronize waits for the current device, the first: hand it the one you are given."
    message = f"measure(…, {str(second)!r}) has not waited for that device after each call"
    expect(all(second.index in span for span in spans), message, teach=teach)


@check("solved")
def no_repeats_are_no_times(answer: Answer, draw: Draw) -> None:
    calls: list[None] = []
    expect_list(answer.measure(lambda: calls.append(None), torch.device("cpu"), 0), 0)
    teach = "Without repeats there is the warm-up alone, and an empty list."
    expect(len(calls) == 1, f"with repeats=0 the function was called {len(calls)} times, not once", teach=teach)
