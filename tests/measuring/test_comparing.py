"""compare(): a contest in fresh processes, with a verdict only where the samples allow one and all of them agree."""

import random
import time
from typing import Any

import pytest
import torch

from torchstone.errors import UserError
from torchstone.measuring import comparing
from torchstone.measuring.comparing import Comparison, Part
from torchstone.measuring.rivals import LONG_CALL_S, WARM_UP_CALLS
from torchstone.measuring.waiting import NoWaitError, WaitWatch
from torchstone.processes import Limits, Outcome
from torchstone.records import Measurement, Setup
from torchstone.stats import STRICT, paired_ratio


def compared(parts: list[tuple[list[float], list[float]]]) -> Comparison:
    return comparing._compared([Part(record("A", a), record("B", b), 1.0) for a, b in parts], margin=0.005)


def record(name: str, samples: list[float]) -> Measurement:
    return Measurement(name=name, setup=Setup(), unit="s", samples=tuple(samples), contest="B against A")


def noisy(seed: int, shift: float, count: int = 60) -> tuple[list[float], list[float]]:
    draw = random.Random(seed)
    a = [1.0 + draw.gauss(0, 0.01) for _ in range(count)]
    return a, [(one + draw.gauss(0, 0.01)) * shift for one in a]


def test_in_this_process() -> None:
    found = comparing.compare_in_process(lambda: sum(range(50)), lambda: sum(range(5000)), budget_s=0.05)
    assert found.ratio is not None
    assert found.ratio.rounds == len(found.a.samples) == len(found.b.samples)
    assert found.ratio == paired_ratio(found.a.samples, found.b.samples, band=STRICT)
    assert found.a.contest == found.b.contest == "B against A"
    assert "one process" in str(found)


def test_fresh_processes_are_really_fresh_and_counted() -> None:
    seen: list[int] = []

    def a() -> int:
        seen.append(1)
        return len(seen)

    found = comparing.compare(a, a, processes=3, budget_s=0.3)
    assert seen == [], "the calls ran in other processes"
    assert len(found.process_ratios) == 3
    assert found.a.facts["processes"] == 3
    assert found.a.protocol == "contest"
    rounds = [int(word) for word in str(found.a.facts["rounds by process"]).split(", ")]
    assert len(found.a.samples) == len(found.b.samples) == sum(rounds)
    assert found.a.contest is None, "several processes are not the rounds of one contest"


def shares_of(monkeypatch: pytest.MonkeyPatch, spent_s: float, budget_s: float) -> list[float]:
    """The seconds that each process is given, where each takes so long."""
    shares: list[float] = []

    def run(call: Any, limits: Limits, *, returns: object) -> Outcome:
        shares.append(call.args[0])
        patience_s = comparing.PATIENCE * budget_s
        needed_s = comparing.SLOW_CALLS * patience_s + 2 * WARM_UP_CALLS * min(patience_s, LONG_CALL_S)
        assert limits.seconds == needed_s + comparing.START_UP_S, "the slowest calls that do not hang have their time"
        return Outcome("returned", Part(record("A", []), record("B", []), spent_s))

    monkeypatch.setattr(comparing, "run_spawned", run)
    job = comparing.Job(lambda: 1, lambda: 1, ("A", "B"), Setup(), 0.005, True)
    comparing._run_afresh(job, 3, budget_s, None)
    return shares


def test_what_one_process_leaves_goes_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shares_of(monkeypatch, spent_s=1.0, budget_s=9.0) == pytest.approx([3.0, 4.0, 7.0])


def test_no_process_is_started_once_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shares_of(monkeypatch, spent_s=6.3, budget_s=5.0) == pytest.approx([5.0 / 3])


def test_who_hangs_is_named_and_the_other_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = comparing.compare(lambda: 1, lambda: time.sleep(600), processes=1, budget_s=0.2)
    assert str(found).startswith("cannot be compared: B: failed: OutOfTimeError: did not end within 0.6 s")


def test_a_call_is_no_hang_because_of_those_before_it() -> None:
    """Two calls each and a round take more than the patience; no call by itself does."""
    found = comparing.compare(lambda: time.sleep(0.4), lambda: time.sleep(0.4), processes=1, budget_s=0.2)
    assert (found.a.status, found.b.status) == ("ok", "ok")
    assert found.ratio is not None


@pytest.mark.parametrize("processes", [0, 1])
def test_who_is_faster_at_something_else_is_told(processes: int) -> None:
    x = torch.ones(4, 4)
    found = comparing.compare(lambda: x @ x, lambda: torch.ones(1), processes=processes, budget_s=0.1)
    assert "they give different answers: shape (4, 4) against (1,)" in str(found)
    assert found.a.facts["answers"] == found.b.facts["answers"] == found.answers
    alike = comparing.compare(lambda: x @ x, lambda: x @ x, processes=processes, budget_s=0.1)
    assert alike.answers == alike.b.facts["answers"] == "alike"
    assert "answers" not in str(alike)


def test_one_process_that_saw_different_answers_is_enough_to_tell() -> None:
    parts = [Part(record("A", [1.0]), record("B", [1.0]), 1.0, answers) for answers in ("alike", "they differ")]
    assert comparing._compared(parts, margin=0.005).answers == "they differ"


def test_the_interval_of_a_tiny_ratio_has_figures_that_count() -> None:
    found = compared([([1.0 + 0.001 * n for n in range(20)], [0.00089] * 20)])
    assert "ratio 0.000884 (95 %: 0.000884–0.000887)" in str(found)


def test_refused_in_the_contest_neither_is_believed(pretend_device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "audit_within", lambda *_: ({}, None))
    x = torch.ones(4, device=pretend_device)

    def look(watch: WaitWatch, _: float, output: object) -> None:
        if output is not None:
            watch.reason = "synchronize does not wait"
            raise NoWaitError(watch.reason)

    monkeypatch.setattr(WaitWatch, "look", look)
    found = comparing.compare_in_process(lambda: None, lambda: x + x, device="pretend", budget_s=0.1)
    assert (found.a.status, found.b.status, found.verdict) == ("wrong", "wrong", "unclear")
    assert "synchronize does not wait" in str(found)


def test_a_device_whose_synchronize_does_not_wait_is_refused(
    pretend_device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "audit_within", lambda *_: ({}, "synchronize does not wait"))
    x = torch.ones(4, device=pretend_device)
    found = comparing.compare_in_process(lambda: None, lambda: x + x, device="pretend", budget_s=0.1)
    assert (found.a.status, found.b.status, found.verdict) == ("wrong", "wrong", "unclear")
    assert "synchronize does not wait" in str(found)


def test_fresh_processes_use_the_callers_thread_count() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:

        def refuse_more_threads() -> None:
            if torch.get_num_threads() != 1:
                raise ValueError("too many threads")

        found = comparing.compare(refuse_more_threads, refuse_more_threads, processes=1, budget_s=0.1)
    finally:
        torch.set_num_threads(before)
    assert found.ratio is not None
    assert found.a.setup.threads == 1


@pytest.mark.parametrize("processes", [0, 1])
def test_a_side_that_raises_gives_a_reason_and_no_ratio(processes: int) -> None:
    found = comparing.compare(lambda: 1, lambda: 1 / 0, processes=processes, budget_s=0.1)
    assert found.ratio is None
    assert found.verdict == "unclear"
    assert (found.a.status, found.b.status) == ("ok", "failed")
    assert str(found).startswith("cannot be compared: B: failed: ZeroDivisionError")
    assert "A: failed" in str(comparing.compare(lambda: 1 / 0, lambda: 1, processes=processes, budget_s=0.1))


def test_a_side_that_kills_its_process_gives_a_reason() -> None:
    def die() -> None:
        import os

        os.abort()

    found = comparing.compare(die, die, processes=1, budget_s=0.1)
    assert found.a.reason == "killed by SIGABRT"
    assert "A or B, which ran in one process: failed: killed by SIGABRT" in str(found)


def test_misuse_is_refused() -> None:
    with pytest.raises(UserError, match="-1 processes"):
        comparing.compare(lambda: 1, lambda: 1, processes=-1)
    with pytest.raises(UserError, match="measures nothing"):
        comparing.compare(lambda: 1, lambda: 1, budget_s=0)
    for margin in (-1, -0.5, float("nan")):
        with pytest.raises(UserError, match="a margin of"):
            comparing.compare(lambda: 1, lambda: 1, margin=margin)


def test_what_cannot_be_sent_to_another_process_is_said() -> None:
    import threading

    lock = threading.Lock()
    with pytest.raises(UserError, match="cannot be sent to a fresh process"):
        comparing.compare(lambda: lock, lambda: 1, processes=1, budget_s=0.1)


def test_processes_that_disagree_allow_no_verdict() -> None:
    clear = compared([noisy(1, 1.1), noisy(2, 1.1), noisy(3, 1.1)])
    assert clear.verdict == "slower"
    split = compared([noisy(1, 1.1), noisy(2, 1.1), noisy(3, 0.99)])
    assert split.ratio is not None
    assert split.ratio.verdict == "slower", "the ratios of all together would say so"
    assert split.verdict == "unclear"


def test_the_process_that_came_first_has_not_the_last_word() -> None:
    lucky = compared([noisy(1, 1.02), noisy(2, 1.001), noisy(3, 1.001)])
    assert paired_ratio(lucky.a.samples, lucky.b.samples).verdict != "same", "intersected, the first would exclude 1"
    assert lucky.verdict == "unclear"


def test_the_ratio_is_of_the_rounds() -> None:
    a, b = noisy(5, 0.9)
    found = compared([(a, b)])
    assert found.ratio == paired_ratio(a, b, band=STRICT)
    assert found.verdict == "faster"
    assert "as fast as A" in str(found)
    assert "60 rounds in one process" in str(found)
    assert "<p>" in found._repr_html_()
