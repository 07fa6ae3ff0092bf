"""The device's measured limits, and what lies beyond them."""

from collections.abc import Callable, Iterator
from itertools import chain, count, repeat
from statistics import median

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone.measuring.peak import (
    ENOUGH_SAMPLES,
    MOST_SAMPLES,
    Best,
    Peak,
    better_of,
    confirm_impossible,
    find_best,
    measure_copy_peak,
    measure_matmul_peak,
    peak_of,
    refuse_impossible,
)
from torchstone.records import IN_DOUBT, Measurement, Scalar, Setup


def timed(seconds: float, dtype: str | None = "float32") -> Measurement:
    return Measurement(name="x", setup=Setup(dtype=dtype), unit="s", samples=(seconds,))


def test_peaks_of_the_cpu() -> None:
    matmul = measure_matmul_peak("cpu", "float32", budget_s=0.05)
    copy = measure_copy_peak("cpu", budget_s=0.05)
    assert matmul.unit == "FLOP/s"
    assert copy.unit == "bytes/s"
    peak = peak_of((matmul, copy))
    assert peak.flops_per_s["float32"] == median(matmul.samples), "the figure that is shown"
    assert peak.bytes_per_s == median(copy.samples)


def plan_samples(clock: WorkClock, seconds: dict[int, Iterator[float]]) -> Callable[[int], Callable[[], float]]:
    """Samples of each size that take these seconds, one after the other, by the clock."""

    def prepare(size: int) -> Callable[[], float]:
        def sample() -> float:
            spent = next(seconds[size])
            clock.sleep(spent)
            return spent

        return sample

    return prepare


def search(seconds: dict[int, Iterator[float]], budget_s: float) -> Best:
    clock = WorkClock()
    return find_best(tuple(seconds), float, plan_samples(clock, seconds), budget_s, clock)


def test_a_peak_is_the_best_that_was_reached_twice_however_often_the_machine_was_busy() -> None:
    busy = [50.0, 50.0, 50.0, 1.0, 50.0, 50.0, 1.0, 50.0, 1.0]
    found = search({100: chain(busy, repeat(50.0))}, budget_s=2000.0)
    assert found.reached == 100.0
    assert found.top == (100.0, 100.0, 100.0)
    doubt = "3 of 20 tries came close to it"
    assert found.facts() == {"tries": 20, "agree": 3, "scatter": 50.0, IN_DOUBT: doubt}


def test_a_clock_that_jumps_once_makes_no_peak() -> None:
    found = search({100: chain([1.0, 0.001, 1.0], repeat(1.0))}, budget_s=10.0)
    assert found.reached == 100.0


def test_a_quiet_machine_is_asked_no_longer_than_needed_and_scatters_not() -> None:
    found = search({100: repeat(1.0)}, budget_s=1e6)
    assert found.facts() == {"tries": ENOUGH_SAMPLES, "agree": ENOUGH_SAMPLES}


def test_what_never_agrees_ends_with_the_time_or_with_the_samples() -> None:
    assert len(search({100: (1.2**number for number in count())}, budget_s=60.0).rates) < ENOUGH_SAMPLES
    assert len(search({100: (1.2**number for number in count())}, budget_s=1e300).rates) == MOST_SAMPLES


def test_few_tries_are_in_doubt() -> None:
    assert search({100: repeat(1.0)}, budget_s=5.0).facts()[IN_DOUBT] == "there was time for 5 tries only"


def searched(rate: float, doubt: str | None = None) -> Measurement:
    facts: dict[str, Scalar] = {"tries": 20, "agree": 15, **({IN_DOUBT: doubt} if doubt else {})}
    return Measurement(name="x", setup=Setup(), unit="FLOP/s", samples=(rate,) * 3, quantity="peak", facts=facts)


def test_of_two_searches_the_better_one_counts_and_a_sure_one_that_agrees_ends_the_doubt() -> None:
    best = better_of(searched(53.0, "busy"), searched(222.0, "busy"))
    assert best.samples == (222.0,) * 3
    assert best.facts == {"tries": 40, "agree": 15, IN_DOUBT: "busy"}
    assert better_of(best, searched(215.0)).facts == {"tries": 60, "agree": 30}
    assert IN_DOUBT in better_of(best, searched(150.0)).facts


def test_a_starved_sample_does_not_keep_from_the_next_size() -> None:
    starved = chain([0.01, 3.0, 3.0, 3.0, 3.0], repeat(3.0))
    assert search({1: starved, 8: repeat(0.01)}, budget_s=20.0).size == 8


def test_a_size_that_does_not_fit_ends_the_search_and_the_first_one_is_told() -> None:
    def nothing() -> Iterator[float]:
        raise MemoryError
        yield

    assert search({100: repeat(1.0), 800: nothing()}, budget_s=1e6).size == 100
    with pytest.raises(MemoryError):
        search({100: nothing()}, budget_s=1.0)


def test_a_dtype_that_the_device_refuses_has_no_peak(pretend_device: str) -> None:
    with pretend.configure(rejected_dtypes=frozenset({"float64"})):
        found = measure_matmul_peak("pretend", "float64", budget_s=0.05)
    assert found.status == "unsupported"
    assert peak_of((found,)).flops_per_s == {}


@pytest.mark.parametrize(("flops", "status"), [(1e9, "ok"), (1.2e9, "ok"), (2e9, "wrong")])
def test_more_flops_than_the_peak_are_impossible(flops: float, status: str) -> None:
    found = refuse_impossible(timed(1.0), Peak({"float32": 1e9}, None), flops=flops)
    assert found.status == status
    assert ("impossible" in (found.reason or "")) == (status == "wrong")


def test_more_bytes_than_the_peak_are_impossible() -> None:
    assert refuse_impossible(timed(1.0), Peak({}, 1e9), moved_bytes=5e9).status == "wrong"
    assert refuse_impossible(timed(1.0), Peak({}, 1e9), moved_bytes=1e9).status == "ok"


def test_a_peak_of_a_starved_machine_is_measured_again_before_anything_is_refused() -> None:
    asked: list[float] = []

    def recovering() -> Peak:
        asked.append(1e9 * (len(asked) + 1))
        return Peak({"float32": asked[-1]}, None)

    starved = Peak({"float32": 1e8}, None)
    assert confirm_impossible(timed(1.0), starved, recovering, flops=2e9).status == "ok"
    assert asked == [1e9, 2e9], "until it is possible, and no further"
    found = confirm_impossible(timed(1.0), starved, lambda: Peak({}, None), flops=2e9)
    assert found.status == "wrong"
    assert "impossible" in (found.reason or "")


def test_what_is_possible_at_once_costs_no_second_peak() -> None:
    def fail() -> Peak:
        raise AssertionError("not needed")

    assert confirm_impossible(timed(1.0), Peak({"float32": 1e9}, 1e9), fail, flops=1e9, moved_bytes=1e9).status == "ok"


def test_without_a_peak_nothing_is_refused() -> None:
    assert refuse_impossible(timed(1e-9), Peak({}, None), flops=1e18, moved_bytes=1e18).status == "ok"


def test_what_a_harness_without_sync_would_publish_is_refused(pretend_device: str) -> None:
    side = 256
    x = torch.ones(side, side, device=pretend_device)
    flops = 2.0 * side**3
    with pretend.configure(asynchronous=True, slow={"aten::mm": 0.02}):
        peak = peak_of((measure_matmul_peak("pretend", "float32", budget_s=0.5),))
        from torchstone.measuring.timing import measure

        true = measure(lambda: x @ x, device="pretend", budget_s=0.3, setup=Setup(dtype="float32"))
    false = Measurement(name="no sync", setup=true.setup, unit="s", samples=true.audit["none"])
    assert refuse_impossible(true, peak, flops=flops).status == "ok"
    assert refuse_impossible(false, peak, flops=flops).status == "wrong"
