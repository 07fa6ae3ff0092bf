"""A run that disagrees with itself: the same call in two cases, far apart."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Measurement, Setup
from torchstone.report.agreeing import disagreements, doubt_of_itself
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
        msgspec.structs.replace(latency(0.029), calls_per_sample=8),
        msgspec.structs.replace(latency(0.029), samples=(0.029,)),
        msgspec.structs.replace(latency(0.029), samples=(0.0,) * 9),
        runs.timed("inference/resnet50/batch=8/latency=hot", 0.029),
        runs.timed("inference/resnet50/prefill/batch=1", 0.029),
        runs.timed("training/resnet50/train/batch=1", 0.029),
        msgspec.structs.replace(runs.timed("training/resnet50/evaluate/batch=1", 0.029), protocol="post-2022"),
    ],
    ids=lambda one: f"{one.name} {one.protocol} {one.calls_per_sample} {len(one.samples)}",
)
def test_what_is_close_or_another_call_is_no_disagreement(other: Measurement) -> None:
    assert disagreements([*runs.contest(NAME, {runs.PLAIN: 0.010}), other]) == []
