"""Measurements keep within their seconds: checked on a clock that passes only when the call says so."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.measuring.timing import Call, Clock, measure
from torchstone.records import Measurement, Setup
from torchstone.trials import affording
from torchstone.trials.affording import Allowance, measure_within

CPU = Setup(device="cpu")


class Moments:
    """Time that only passes in calls."""

    def __init__(self, *call_s: float) -> None:
        self.now_s = 0.0
        self.calls = 0
        self._call_s = call_s

    def now(self) -> float:
        return self.now_s

    def call(self) -> torch.Tensor:
        self.now_s += self._call_s[min(self.calls, len(self._call_s) - 1)]
        self.calls += 1
        return torch.ones(1)


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Moments]:
    def make(*call_s: float) -> Moments:
        made = Moments(*call_s)
        monkeypatch.setattr(affording, "Clock", lambda backend, device_id: Clock(backend, device_id, made.now))
        return made

    return make


def test_a_quick_call_is_measured_in_full() -> None:
    found = measure_within(lambda: torch.ones(1), Allowance(0.1), name="quick", setup=CPU)
    assert found.status == "ok"
    assert "few samples" not in found.facts
    assert found.calls_per_sample > 1
    assert found.first_call_s is not None


@pytest.mark.parametrize(("seconds", "samples"), [(3.0, 3), (5.0, 5), (10.0, 10)])
def test_a_slow_call_is_made_as_often_as_its_seconds_allow(
    moments: Callable[..., Moments], seconds: float, samples: int
) -> None:
    time = moments(1.0)
    found = measure_within(time.call, Allowance(seconds, time.now), name="slow", setup=CPU)
    assert found.status == "ok"
    assert abs(len(found.samples) - samples) <= 1
    assert time.now_s <= seconds * affording.OVERRUN
    assert found.facts["few samples"] == "one call takes long"


def test_a_first_call_that_takes_all_the_seconds_leaves_nothing_to_measure(moments: Callable[..., Moments]) -> None:
    time = moments(21.0, 0.1)
    found = measure_within(time.call, Allowance(10.0, time.now), name="compiled", setup=CPU)
    assert (found.status, found.first_call_s, time.calls) == ("skipped", 21.0, 1)
    assert "the first call took 21 s, where 10 s were granted" in (found.reason or "")


def test_a_first_call_that_builds_kernels_is_given_a_second(moments: Callable[..., Moments]) -> None:
    time = moments(15.0, 0.1)
    found = measure_within(time.call, Allowance(10.0, time.now), name="built", setup=CPU)
    assert (found.status, found.first_call_s) == ("ok", 15.0)
    assert found.samples == pytest.approx((0.1,))
    assert found.facts["few samples"] == "one call takes long"


def test_something_small_has_a_second_call_whatever_the_first_took(moments: Callable[..., Moments]) -> None:
    time = moments(300.0, 0.1)
    found = measure_within(time.call, Allowance(1.0, time.now), name="small", setup=CPU, is_small=True)
    assert (found.status, found.first_call_s, len(found.samples)) == ("ok", 300.0, 1)


def test_few_calls_on_a_device_are_audited_too(pretend_device: str, moments: Callable[..., Moments]) -> None:
    time = moments(1.0)
    found = measure_within(time.call, Allowance(12.0, time.now), name="slow", setup=Setup(device=pretend_device))
    assert set(found.audit) == {"none", "readback"}
    assert time.now_s <= 12.0 * affording.OVERRUN


def test_an_output_that_turns_wrong_at_the_end_is_wrong(moments: Callable[..., Moments]) -> None:
    time = moments(1.0)
    verdicts = iter([None, None, "turned wrong"])
    found = measure_within(
        time.call, Allowance(6.0, time.now), name="slow", setup=CPU, verify=lambda output: next(verdicts)
    )
    assert (found.status, found.reason, found.samples) == ("wrong", "turned wrong", ())


@pytest.mark.parametrize(
    ("error", "status"), [(NotImplementedError("no such op"), "unsupported"), (MemoryError(), "out_of_memory")]
)
def test_what_is_raised_is_a_status(error: Exception, status: str) -> None:
    def call() -> None:
        raise error

    assert measure_within(call, Allowance(1.0), name="raises", setup=CPU).status == status


def test_true_times_on_an_asynchronous_device(pretend_device: str) -> None:
    x = torch.ones(2, 2, device=pretend_device)
    with pretend.configure(asynchronous=True, op_seconds=0.02):
        found = measure_within(lambda: x @ x, Allowance(0.3), name="mm", setup=Setup(device=pretend_device))
    assert min(found.samples) >= 0.02
    assert min(found.audit["none"]) < 0.02


def test_preparation_leaves_half_for_measuring() -> None:
    moment = [0.0]
    allowance = Allowance(10.0, lambda: moment[0])
    assert allowance.after_preparation().seconds == 10.0
    moment[0] = 30.0
    assert allowance.after_preparation().seconds == 5.0


def test_a_quick_call_is_not_timed_for_longer_than_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def remember(call: Call, *, budget_s: float, **rest: Any) -> Measurement:
        asked.append(budget_s)
        return measure(call, budget_s=budget_s, **rest)

    monkeypatch.setattr(affording, "measure", remember)
    measure_within(lambda: torch.ones(1), Allowance(60.0), name="quick", setup=CPU, enough_s=0.05)
    assert asked == [0.05]
