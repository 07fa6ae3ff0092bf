"""Grades joules: known areas, counters that start again, and every way in which an energy can be unknown."""

import math

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close

PROMISES = {
    "Some do not answer at all.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

UNKNOWN = "Unknown is not zero: a reading that is missing makes the energy unknown, and None says so."
COVER = "Before the first and after the last reading nothing is known: such a window has no energy that could be told."
KNOWN = "Only what is needed must be known: readings far outside don't matter, and 0 is a reading like any other."


def expect_energy(got: object, wanted: float | None, story: str, teach: str) -> None:
    if wanted is None:
        expect(got is None, f"{story}: {got!r}, where the answer is unknown and should be None", teach=teach)
        return
    expect(got is not None, f"{story}: None, where it should be {wanted:.6g}", teach=KNOWN)
    expect_close(got, wanted, what=story, teach=teach, rtol=1e-9, atol=1e-9)


def line(draw: Draw, count: int) -> tuple[list, float, float]:
    """Readings on one straight line, whose energy is known for every window."""
    slope, base = draw.random.uniform(-3, 3), draw.random.uniform(50, 90)
    times = sorted(draw.random.uniform(0, 10) for _ in range(count))
    return [(time, base + slope * time) for time in times], slope, base


def under_line(slope: float, base: float, start: float, end: float) -> float:
    return base * (end - start) + slope * (end * end - start * start) / 2


@check("solved")
def power_becomes_energy(answer: Answer, draw: Draw) -> None:
    teach = "Energy is the area under the line: (t₂ − t₁) · (w₁ + w₂) / 2, cut off at both ends of the window."
    got = answer.from_power([(0.0, 10.0), (2.0, 30.0)], 0.0, 2.0)
    expect_energy(got, 40.0, "from 10 W to 30 W in 2 s, in joules", teach)
    got = answer.from_power([(0.0, 10.0), (2.0, 30.0)], 1.0, 2.0)
    expect_energy(got, 25.0, "the second half of it", teach)
    got = answer.from_power([(0.0, 8.0), (1.0, 0.0), (3.0, 4.0)], 0.5, 2.0)
    expect_energy(got, 2.0, "8 W, 0 W at 1 s, 4 W at 3 s, from 0.5 s to 2 s", teach)
    got = answer.from_power([(0.0, 8.0), (1.0, 0.0), (3.0, 4.0), (4.0, 9.0)], 1.0, 3.0)
    expect_energy(got, 4.0, "the same from reading to reading", teach)
    got = answer.from_power([(0.0, -4.0), (2.0, 4.0), (4.0, 4.0)], 0.0, 4.0)
    expect_energy(got, 8.0, "−4 W, 4 W at 2 s, 4 W at 4 s", teach)
    for count in (2, 3, 7, 20):
        readings, slope, base = line(draw, count)
        start, end = sorted(draw.random.uniform(readings[0][0], readings[-1][0]) for _ in range(2))
        story = f"{count} readings on a straight line, from {start:.3g} s to {end:.3g} s"
        expect_energy(answer.from_power(readings, start, end), under_line(slope, base, start, end), story, teach)


@check("solved")
def unknown_power_is_none(answer: Answer, draw: Draw) -> None:
    for missing in (None, math.nan):
        readings = [(0.0, 5.0), (1.0, 5.0), (2.0, missing), (3.0, 5.0), (4.0, 5.0)]
        for start, end in ((0.5, 3.5), (1.0, 3.0), (1.5, 1.8), (2.2, 2.9), (1.9, 2.1), (2.0, 3.0), (1.0, 2.0)):
            got = answer.from_power(readings, start, end)
            expect_energy(got, None, f"{missing} W at 2 s, the energy from {start} s to {end} s", UNKNOWN)
        for start, end in ((0.0, 1.0), (3.0, 4.0), (0.2, 0.7), (3.5, 4.0)):
            got = answer.from_power(readings, start, end)
            expect_energy(got, 5 * (end - start), f"{missing} W at 2 s, the energy from {start} s to {end} s", KNOWN)
    got = answer.from_power([(0.0, 0.0), (1.0, 0.0)], 0.0, 1.0)
    expect_energy(got, 0.0, "two readings of 0 W", KNOWN)


@check("solved")
def uncovered_windows_are_none(answer: Answer, draw: Draw) -> None:
    readings = [(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]
    for start, end in ((0.5, 2.0), (2.0, 3.5), (0.0, 0.5), (4.0, 5.0), (0.0, 9.0)):
        got = answer.from_power(readings, start, end)
        expect_energy(got, None, f"readings from 1 s to 3 s, the energy from {start} s to {end} s", COVER)
    for few in ([], [(1.0, 5.0)]):
        expect_energy(answer.from_power(few, 0.5, 2.0), None, f"{len(few)} readings", COVER)


@check("solved")
def counters_start_again(answer: Answer, draw: Draw) -> None:
    teach = "A counter that fell has started again: each such step has range_j more than its difference says."
    expect_energy(answer.from_counter([90.0, 10.0], 100.0), 20.0, "90 J, then 10 J, range 100 J", teach)
    expect_energy(answer.from_counter([10.0, 40.0, 5.0, 90.0, 3.0], 100.0), 193.0, "two starts, range 100 J", teach)
    expect_energy(answer.from_counter([7.0, 7.0], 100.0), 0.0, "a counter that stands still", teach)
    expect_energy(answer.from_counter([0.0, 0.0], 100.0), 0.0, "a counter that stands at 0", teach)
    expect_energy(answer.from_counter([0.0, 12.5], 64.0), 12.5, "a counter from 0", teach)
    for _ in range(5):
        span = draw.random.uniform(50, 200)
        steps = [draw.random.uniform(0, 0.9 * span) for _ in range(draw.integer(1, 8))]
        first = draw.random.uniform(0, span)
        readings = [(first + math.fsum(steps[:place])) % span for place in range(len(steps) + 1)]
        expect_energy(
            answer.from_counter(readings, span), math.fsum(steps), f"{len(readings)} readings of a counter", teach
        )


@check("solved")
def unknown_counters_are_none(answer: Answer, draw: Draw) -> None:
    for readings in ([], [5.0], [None, 5.0], [5.0, None], [5.0, None, 9.0], [None, None]):
        expect_energy(answer.from_counter(readings, 100.0), None, f"the counter's readings {readings}", UNKNOWN)


@check("solved")
def samples_have_a_price(answer: Answer, draw: Draw) -> None:
    teach = "(joules − idle_watts · seconds) / samples: what the machine would have used anyway is not the samples'."
    expect_energy(answer.per_sample(100.0, 8, 5.0, 4.0), 10.0, "100 J in 4 s, 5 W idle, 8 samples", teach)
    expect_energy(answer.per_sample(100.0, 8, 0.0, 4.0), 12.5, "the same with 0 W idle", teach)
    expect_energy(answer.per_sample(20.0, 4, 5.0, 4.0), 0.0, "as much as idle", teach)
    expect_energy(answer.per_sample(0.0, 1, 0.0, 1.0), 0.0, "0 J, known to be so", teach)
    for _ in range(4):
        joules, samples = draw.random.uniform(500, 900), draw.integer(1, 50)
        idle, seconds = draw.random.uniform(1, 20), draw.random.uniform(1, 20)
        wanted = (joules - idle * seconds) / samples
        expect_energy(answer.per_sample(joules, samples, idle, seconds), wanted, "joules per sample", teach)


@check("solved")
def unknown_prices_are_none(answer: Answer, draw: Draw) -> None:
    expect_energy(answer.per_sample(None, 8, 5.0, 4.0), None, "an unknown energy, per sample", UNKNOWN)
    expect_energy(answer.per_sample(100.0, 8, None, 4.0), None, "unknown idle watts, per sample", UNKNOWN)
    expect_energy(answer.per_sample(100.0, 0, 5.0, 4.0), None, "joules per sample of 0 samples", UNKNOWN)
    below = "Less than the idle machine uses is impossible: a measuring error is unknown too, not a negative price."
    expect_energy(answer.per_sample(19.999, 4, 5.0, 4.0), None, "19.999 J in 4 s with 5 W idle, per sample", below)
    expect_energy(answer.per_sample(19.0, 4, 5.0, 4.0), None, "19 J in 4 s with 5 W idle, per sample", below)


@check("solved")
def a_little_is_too_much(answer: Answer, draw: Draw) -> None:
    """Nothing is rounded, and no bound is soft."""
    readings, little = [(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)], 2.0**-30
    for start, end in ((1.0 - little, 2.0), (2.0, 3.0 + little), (1.0 - little, 3.0 + little)):
        got = answer.from_power(readings, start, end)
        expect_energy(got, None, f"readings from 1 s to 3 s, the energy from {start!r} s to {end!r} s", COVER)
    fell = "A counter that fell, by however little, has started again."
    expect_energy(answer.from_counter([10.0, 9.9990234375], 100.0), 99.9990234375, "10 J, then a little less", fell)
    below = "Less than the idle machine uses is a measuring error, however little it is."
    got = answer.per_sample(20.0 - little, 4, 5.0, 4.0)
    expect_energy(got, None, "a billionth less than 20 J in 4 s with 5 W idle, per sample", below)
