"""What one run measured and the next is wrong in, fails in, or leaves out."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import HUNG, Measurement, Status
from torchstone.report.comparing import Summary, compare_runs, verdict_words
from torchstone.report.sources import Machine

FINE, OTHER = "inference/resnet50/batch=1", "inference/vgg16/batch=1"
BEFORE = [runs.timed(FINE, 0.1), runs.timed(OTHER, 0.1)]


def compared(*after: Measurement, asked: tuple[str, ...] = ()) -> Summary:
    b = msgspec.structs.replace(runs.make_run(*after), asked=asked)
    return compare_runs(Machine("old", "a", runs.make_run(*BEFORE)), Machine("new", "b", b))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("wrong", "is wrong"),
        ("failed", "failed"),
        ("unsupported", "is unsupported"),
        ("out_of_memory", "ran out of memory"),
    ],
)
def test_what_broke_is_the_first_thing_that_is_said(status: Status, words: str) -> None:
    summary = compared(BEFORE[0], runs.without(OTHER, status, "boom", runs.PLAIN))
    broken = f"VGG-16 evaluation, batch 1 (cpu, 8 threads) {words}: boom. "
    assert verdict_words(summary).startswith(f"new has no right number for 1 case that old measured: {broken}")


def test_what_there_was_no_time_for_is_told_apart_from_what_broke() -> None:
    skipped = runs.without(OTHER, "skipped", "no time was left", runs.PLAIN)
    missing = "VGG-16 evaluation, batch 1 (cpu, 8 threads) was not measured: no time was left."
    assert verdict_words(compared(BEFORE[0], skipped)).endswith(f"new did not measure 1 case that old did: {missing}")


def test_a_hang_is_no_want_of_time() -> None:
    hung = msgspec.structs.replace(runs.without(OTHER, "skipped", "it hangs", runs.PLAIN), facts={HUNG: True})
    assert [one.kind for one in compared(BEFORE[0], hung).setbacks] == ["hung"]


def test_what_is_missing_is_said() -> None:
    assert [(one.name, one.kind) for one in compared(BEFORE[0]).setbacks] == [(OTHER, "was not measured")]


def test_what_was_never_asked_for_is_not_missing() -> None:
    assert compared(BEFORE[0], asked=("training",)).setbacks == ()
    assert compared(BEFORE[0], asked=("--model=models.py:Mod",)).setbacks == ()
    only_cpu = Machine("new", "b", runs.make_run(BEFORE[0], devices=(runs.CPU,)))
    on_mps = Machine("old", "a", runs.make_run(BEFORE[0], runs.timed(OTHER, 0.1, runs.ON_MPS)))
    assert compare_runs(on_mps, only_cpu).setbacks == ()


def test_another_path_of_a_search_is_not_missing() -> None:
    searched = runs.timed("inference/resnet50/batch=16/crossover", 0.1)
    a, b = runs.make_run(BEFORE[0], searched), runs.make_run(BEFORE[0])
    assert compare_runs(Machine("old", "a", a), Machine("new", "b", b)).setbacks == ()


def test_memory_that_could_not_be_counted_is_no_setback() -> None:
    def held(**changed: object) -> Measurement:
        one = Measurement(name=f"{FINE}/memory", setup=runs.PLAIN, unit="bytes", quantity="peak memory", samples=(9.0,))
        return msgspec.structs.replace(one, **changed)

    a = runs.make_run(BEFORE[0], held())
    b = runs.make_run(BEFORE[0], held(samples=(), status="skipped", reason="no weight was used"))
    assert compare_runs(Machine("old", "a", a), Machine("new", "b", b)).setbacks == ()
