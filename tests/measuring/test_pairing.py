"""compare(): pairs in random order, over fresh processes, with a verdict only where the samples allow one."""

import itertools
import random

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.measuring import pairing
from torchstone.measuring.pairing import Comparison, Pairs
from torchstone.records import Setup
from torchstone.stats import paired_ratio


def compared(parts: list[tuple[list[float], list[float]]]) -> Comparison:
    pairs = [Pairs(tuple(a), tuple(b), 1, True) for a, b in parts]
    return pairing._compared(pairs, Setup(), ("A", "B"), margin=0.005)


def noisy(seed: int, shift: float, count: int = 60) -> tuple[list[float], list[float]]:
    draw = random.Random(seed)
    a = [1.0 + draw.gauss(0, 0.01) for _ in range(count)]
    return a, [(one + draw.gauss(0, 0.01)) * shift for one in a]


def test_a_known_difference_on_the_pretend_device(pretend_device: str) -> None:
    x = torch.ones(2, device=pretend_device)
    with pretend.configure(asynchronous=True, slow={"aten::mul": 0.06, "aten::add": 0.001}):
        found = pairing.compare_in_process(
            lambda: x + x, lambda: x * x, device="pretend", names=("add", "mul"), budget_s=0.8
        )
    assert found.verdict == "slower"
    assert found.ratio is not None
    assert found.ratio.ratio > 2
    assert "mul takes" in str(found)
    assert "one process" in str(found)


def test_fresh_processes_are_really_fresh_and_counted() -> None:
    seen: list[int] = []

    def a() -> int:
        seen.append(1)
        return len(seen)

    found = pairing.compare(a, a, processes=3, budget_s=0.3)
    assert seen == [], "the calls ran in other processes"
    assert len(found.process_ratios) == 3
    assert found.a.facts["processes"] == 3
    assert found.a.protocol == "paired"
    assert len(found.a.samples) == len(found.b.samples) >= 3 * pairing.MIN_PAIRS


def test_fresh_processes_use_the_callers_thread_count() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:

        def refuse_more_threads() -> None:
            if torch.get_num_threads() != 1:
                raise ValueError("too many threads")

        found = pairing.compare(refuse_more_threads, refuse_more_threads, processes=1, budget_s=0.1)
    finally:
        torch.set_num_threads(before)
    assert found.ratio is not None
    assert found.a.setup.threads == 1


@pytest.mark.parametrize("processes", [0, 1])
def test_a_side_that_raises_gives_a_reason_and_no_ratio(processes: int) -> None:
    found = pairing.compare(lambda: 1, lambda: 1 / 0, processes=processes, budget_s=0.1)
    assert found.ratio is None
    assert found.verdict == "unclear"
    assert found.a.status == "failed"
    assert "ZeroDivisionError" in str(found)


def test_a_side_that_kills_its_process_gives_a_reason() -> None:
    def die() -> None:
        import os

        os.abort()

    found = pairing.compare(die, die, processes=1, budget_s=0.1)
    assert found.a.reason == "killed by SIGABRT"


def test_an_endless_side_in_this_process_is_interrupted() -> None:
    def endless() -> None:
        while True:
            pass

    found = pairing.compare_in_process(lambda: 1, endless, budget_s=0.1, timeout_s=0.2)
    assert "did not end" in (found.a.reason or "")


def test_misuse_is_refused() -> None:
    with pytest.raises(UserError, match="-1 processes"):
        pairing.compare(lambda: 1, lambda: 1, processes=-1)
    with pytest.raises(UserError, match="measures nothing"):
        pairing.compare(lambda: 1, lambda: 1, budget_s=0)


def test_what_cannot_be_sent_to_another_process_is_said() -> None:
    import threading

    lock = threading.Lock()
    with pytest.raises(UserError, match="cannot be sent to a fresh process"):
        pairing.compare(lambda: lock, lambda: 1, processes=1, budget_s=0.1)


def test_processes_that_disagree_allow_no_verdict() -> None:
    clear = compared([noisy(1, 1.1), noisy(2, 1.1), noisy(3, 1.1)])
    assert clear.verdict == "slower"
    split = compared([noisy(1, 1.1), noisy(2, 1.1), noisy(3, 0.99)])
    assert split.ratio is not None
    assert split.ratio.verdict == "slower", "the pooled pairs alone would say so"
    assert split.verdict == "unclear"


def test_the_ratio_is_of_the_pairs() -> None:
    a, b = noisy(5, 0.9)
    found = compared([(a, b)])
    assert found.ratio == paired_ratio(a, b)
    assert found.verdict == "faster"
    assert "as fast as A" in str(found)
    assert "<p>" in found._repr_html_()


def test_the_order_within_pairs_is_drawn_by_coin() -> None:
    order: list[str] = []
    pairing.sample_pairs(lambda: order.append("a"), lambda: order.append("b"), "cpu", 0.2, seed=3)
    tail = order[-4000:]
    repeats = sum(one == other for one, other in itertools.pairwise(tail))
    assert repeats > 0, "with a fixed order a and b would alternate in blocks of one length only"


def test_the_number_of_pairs_is_bounded() -> None:
    pairs = pairing.sample_pairs(lambda: None, lambda: None, "cpu", 0.01)
    assert pairing.MIN_PAIRS <= len(pairs.a) == len(pairs.b) <= pairing.MAX_PAIRS
