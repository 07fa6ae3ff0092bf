"""Two machines, each at its best: only like against like, and what differs in a dtype is named."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Measurement, Setup
from torchstone.report.bests import best_of
from torchstone.report.comparing import Summary, compare_runs, verdict_words
from torchstone.report.machines_at_best import alike
from torchstone.report.sources import Machine
from torchstone.report.standings import contests_of

NAME = "inference/resnet50/batch=8"
NARROW = runs.changed(runs.PLAIN, dtype="bfloat16", precision="cast")


def compared(a: list[Measurement], b: list[Measurement]) -> Summary:
    machines = [Machine(chip, chip, runs.make_run(*own, chip=chip)) for chip, own in (("Xeon", a), ("Mac", b))]
    return compare_runs(*machines)


def contest(seconds: dict[Setup, float]) -> list[Measurement]:
    return runs.contest(NAME, seconds, items=8, item="images")


def test_a_dtype_that_only_one_has_is_named_with_what_is_left_in_the_dtype_of_both() -> None:
    summary = compared(contest({runs.PLAIN: 0.1}), contest({runs.PLAIN: 0.2, NARROW: 0.001}))
    assert verdict_words(summary) == (
        "Mac evaluates 100 times as fast as Xeon (each at its best; evaluation in bfloat16 against float32, "
        "both in float32 2 times slower)."
    )


def test_a_dtype_that_was_wrong_on_the_other_was_measured_there() -> None:
    wrong = msgspec.structs.replace(runs.without(NAME, "wrong", "off by 3", NARROW), quantity="time")
    summary = compared([*contest({runs.PLAIN: 0.1}), wrong], contest({runs.PLAIN: 0.2, NARROW: 0.001}))
    assert summary.at_best[0].dtypes == "bfloat16 against float32"


def test_a_time_that_nobody_waited_for_is_no_best() -> None:
    unwaited = runs.changed(runs.ON_MPS, sync="none")
    (best,) = compared(contest({runs.PLAIN: 0.1}), contest({runs.PLAIN: 0.05, unwaited: 0.001})).at_best
    assert best.how_b.startswith("cpu")
    assert best.times == pytest.approx(2.0, rel=0.1)


def test_other_rules_of_measuring_are_no_like() -> None:
    summary = compared([runs.timed(NAME, 0.1)], contest({runs.PLAIN: 0.01}))
    assert summary.at_best == ()
    assert verdict_words(summary) == "Nothing of Xeon and Mac can be compared: protocol: hot and contest."


def test_the_chart_of_several_machines_holds_what_is_alike() -> None:
    first, second, third = (
        Machine(chip, chip, runs.make_run(*own, chip=chip))
        for chip, own in (
            ("Xeon", contest({runs.PLAIN: 0.1})),
            ("Mac", [runs.timed(NAME, 0.1, items=8, item="images")]),
            ("Arm", contest({runs.PLAIN: 0.2})),
        )
    )
    named = [
        (machine, best) for machine in (first, second, third) for best in best_of(contests_of(machine.run)).values()
    ]
    assert [machine.label for machine, _ in alike(named)] == ["Xeon", "Arm"]


def test_beside_other_programs_neither_is_called_faster() -> None:
    busy = runs.finding("machine", "busy", "a busy machine, during the run", "other programs kept 1.0 of 2 cores busy")
    a, b = (
        runs.make_run(*contest({runs.PLAIN: 0.1}), chip="Xeon"),
        runs.make_run(*contest({runs.PLAIN: 0.2}), busy, chip="Mac"),
    )
    summary = compare_runs(Machine("Xeon", "a", a), Machine("Mac", "b", b))
    assert not summary.at_best[0].is_decided
    assert "can be told" in verdict_words(summary)
