"""A busy machine is noticed, and only a busy one; waiting ends when it is quiet or the seconds are over."""

from itertools import chain, count, repeat

import pytest

from torchstone.machine import busyness
from torchstone.machine.busyness import Business, Usage, between, explain, wait_until_quiet

QUIET = Business(cores=2, others=0.1, stolen=0.0, throttles=0)
BUSY = Business(cores=2, others=1.7, stolen=0.0, throttles=0)


def test_what_others_took_is_an_average_over_the_time() -> None:
    seen = between(Usage(10.0, 100.0, 5.0, 3), Usage(20.0, 115.0, 6.0, 4), cores=2)
    assert seen == Business(2, 1.5, 0.1, 1)
    assert seen.is_busy


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (BUSY, "other programs kept 1.7 of 2 cores busy"),
        (Business(4, 0.0, 1.0, 0), "the host took 1.0 of 4 cores"),
        (Business(4, 0.0, 0.0, 7), "slowed down for their heat 7 times"),
    ],
)
def test_each_kind_is_a_warning_with_a_hint(seen: Business, words: str) -> None:
    found = explain(seen, "during the run")
    assert (found.level, found.kind) == ("warning", "machine")
    assert words in found.evidence
    assert "--wait-quiet" in (found.hint or "")


def test_a_quiet_machine_is_no_warning() -> None:
    quiet = explain(QUIET, "at the start")
    assert (quiet.subject, quiet.level, quiet.hint) == ("a quiet machine, at the start", "ok", None)


def test_waiting_ends_when_it_is_quiet() -> None:
    looks = iter([BUSY, BUSY, QUIET])
    seen = list(wait_until_quiet(1000.0, lambda: next(looks), now=lambda: 0.0, sleep=lambda seconds: None))
    assert seen == [BUSY, BUSY, QUIET]


def test_waiting_ends_when_the_seconds_are_over() -> None:
    looks, moments = chain(repeat(BUSY)), count()
    seen = list(wait_until_quiet(5.0, lambda: next(looks), now=lambda: float(next(moments)), sleep=lambda s: None))
    assert seen[-1] == BUSY
    assert len(seen) < 6


def test_our_own_work_is_not_others() -> None:
    first = busyness._own_s()
    sum(range(3_000_000))
    assert busyness._own_s() >= first
