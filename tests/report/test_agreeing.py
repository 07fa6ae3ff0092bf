"""A run that disagrees with itself: the same call in two cases, far apart."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Measurement, Setup
from torchstone.report.agreeing import disagreements, doubt_of_itself, drift_words
from torchstone.report.answers import answer_run

NAME = "inference/resnet50/batch=1"
ONE_THREAD = Setup(device="cpu", dtype="float32", threads=1)


def latency(seconds: float, pace: str = "hot", setup: Setup = runs.PLAIN) -> Measurement:
    found = runs.timed(f"{NAME}/latency={pace}", seconds, setup)
    return msgspec.structs.replace(found, quantity="latency", protocol=pace)


def test_a_hot_latency_of_twice_the_contest_is_said_on_the_line_of_trust() -> None:
    run = runs.make_run(*runs.contest(NAME, {runs.PLAIN: 0.014, ONE_THREAD: 0.02}), latency(0.029))
    words = "ResNet-50 evaluation, batch 1 (cpu, 8 threads) took 14 ms in one case and 29 ms in another"
    assert doubt_of_itself(run) == f"it disagrees with itself: {words}"
    trust = answer_run(run).trust
    assert not trust.is_trusted
    assert words in trust.sentence


def test_the_worst_is_named_and_the_others_counted() -> None:
    run = runs.make_run(
        *runs.contest(NAME, {runs.PLAIN: 0.010}),
        *runs.contest(f"{NAME}/engines", {runs.PLAIN: 0.015}),
        *runs.contest("training/resnet50/evaluate/batch=1", {runs.PLAIN: 0.030}),
    )
    found = doubt_of_itself(run)
    assert "took 10 ms in one case and 30.1 ms in another" in found
    assert found.endswith(", and 2 more such pairs")


@pytest.mark.parametrize(
    "other",
    [
        latency(0.0105),
        latency(0.029, "paced"),
        latency(0.029, setup=ONE_THREAD),
        msgspec.structs.replace(latency(0.029, setup=runs.ON_MPS), calls_per_sample=8),
        msgspec.structs.replace(latency(0.013), samples=(0.013, 0.011, 0.014, 0.012, 0.010, 0.013, 0.0145, 0.013)),
        msgspec.structs.replace(latency(0.029), samples=(0.029,)),
        runs.timed("inference/resnet50/batch=8/latency=hot", 0.029),
        runs.timed("inference/resnet50/prefill/batch=1", 0.029),
        runs.timed("training/resnet50/train/batch=1", 0.029),
        msgspec.structs.replace(runs.timed("training/resnet50/evaluate/batch=1", 0.029), protocol="post-2022"),
    ],
    ids=lambda one: f"{one.name} {one.protocol} {one.calls_per_sample} {len(one.samples)}",
)
def test_what_is_close_or_another_call_is_no_disagreement(other: Measurement) -> None:
    assert disagreements([*runs.contest(NAME, {runs.PLAIN: 0.010, runs.ON_MPS: 0.010}), other]) == []


def test_wide_intervals_that_do_not_meet_hide_no_disagreement() -> None:
    """Two levels in one contest: the interval's lower end lies at the lower, less than 1.3 times from the others."""
    levels = (0.0103, 0.0102, 0.0175, *(0.0159,) * 6, 0.0120, 0.0120, *(0.0159,) * 7, 0.0120, 0.0120)
    (raced,) = runs.contest(NAME, {runs.PLAIN: 0.0159})
    run = runs.make_run(msgspec.structs.replace(raced, samples=levels), latency(0.0106))
    assert "took 10.6 ms in one case and 15.9 ms in another" in doubt_of_itself(run)


def test_of_a_long_call_on_the_cpu_it_does_not_matter_how_many_make_a_sample() -> None:
    (raced,) = runs.contest(NAME, {runs.PLAIN: 0.023})
    run = runs.make_run(msgspec.structs.replace(raced, calls_per_sample=3), latency(0.044))
    assert "took 23.1 ms in one case and 44 ms in another" in doubt_of_itself(run)
    short = runs.make_run(
        *runs.contest(NAME, {runs.PLAIN: 1e-5}), msgspec.structs.replace(latency(4e-5), calls_per_sample=99)
    )
    assert doubt_of_itself(short) == ""


def test_a_sustained_latency_may_be_slower_but_not_quicker() -> None:
    raced = runs.contest(NAME, {runs.PLAIN: 0.016})
    quicker, slower = (runs.make_run(*raced, latency(seconds, "sustained")) for seconds in (16.4e-6, 0.16))
    assert "took 16.4 µs in one case and 16 ms in another" in doubt_of_itself(quicker)
    assert doubt_of_itself(slower) == ""


def test_no_cache_makes_a_thousand_times_whatever_the_calls_of_a_sample() -> None:
    many = msgspec.structs.replace(runs.contest(NAME, {runs.PLAIN: 16e-6})[0], calls_per_sample=99)
    assert "took 16 µs in one case and 16 ms in another" in doubt_of_itself(runs.make_run(many, latency(0.016)))
    short = msgspec.structs.replace(many, samples=tuple(sample * 25 for sample in many.samples))
    assert doubt_of_itself(runs.make_run(short, latency(0.002))) == ""


def rising(first: float, last: float, count: int = 40) -> tuple[float, ...]:
    """With some noise."""
    return tuple((first + (last - first) * n / (count - 1)) * (1 + 0.1 * (-1) ** n) for n in range(count))


def test_a_model_that_gets_slower_and_slower_is_not_trusted() -> None:
    rivals = runs.contest(NAME, {runs.PLAIN: 1.0, ONE_THREAD: 1.0})
    drifted = [msgspec.structs.replace(one, samples=rising(0.002, 0.04)) for one in rivals]
    words = "ResNet-50 evaluation, batch 1 (cpu, 8 threads) got slower while it was measured: 6.34 ms at first"
    run = runs.make_run(*drifted)
    assert words in drift_words(run)
    assert "more case" not in drift_words(run)
    trust = answer_run(run).trust
    assert not trust.is_trusted
    assert words in trust.sentence


@pytest.mark.parametrize(
    "samples",
    [
        rising(0.01, 0.012),
        rising(0.04, 0.002),
        rising(0.002, 0.04, 12),
        tuple(0.01 * (1 + 2 * (number % 3 == 0)) for number in range(48)),
        (*(0.01,) * 36, *(0.03,) * 4),
    ],
    ids=["a little", "faster", "few", "noise", "a hiccup"],
)
def test_what_does_not_rise_beyond_doubt_is_no_drift(samples: tuple[float, ...]) -> None:
    (raced,) = runs.contest(NAME, {runs.PLAIN: 1.0})
    assert drift_words(runs.make_run(msgspec.structs.replace(raced, samples=samples))) == ""
