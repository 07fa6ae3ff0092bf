"""Two runs side by side: ratios where they may be compared, the field that differs where not."""

import io
from typing import Any

import msgspec
import pytest
from rich.console import Console
from tests.report import runs

from torchstone.records import Finding, Measurement, Setup
from torchstone.report.compare_screen import print_comparison
from torchstone.report.comparing import (
    Comparison,
    Summary,
    compare_runs,
    largest_differences,
    regressions,
    verdict_words,
)
from torchstone.report.sources import Machine

NAME = "inference/resnet50/batch=1"


def compared(a: list[Measurement], b: list[Measurement], torch: str = "2.13.0") -> Summary:
    return compare_runs(Machine("old", "a", runs.make_run(*a)), Machine("new", "b", runs.make_run(*b, torch=torch)))


def only(a: Measurement, b: Measurement, torch: str = "2.13.0") -> Comparison:
    (case,) = compared([a], [b], torch).cases
    return case


def test_twice_as_fast() -> None:
    case = only(runs.timed(NAME, 0.2), runs.timed(NAME, 0.1))
    assert case.ratio == pytest.approx(0.5)
    assert case.verdict == "faster"
    # The second of nine samples and the second from above: 1.5 % around the middle, at worst against each other.
    assert case.low == pytest.approx(0.5 * 0.985 / 1.015)
    assert case.high == pytest.approx(0.5 * 1.015 / 0.985)


def test_equal_is_unclear_within_wide_intervals_and_same_within_narrow_ones() -> None:
    steady = Measurement(name=NAME, setup=runs.PLAIN, unit="s", samples=(0.1,) * 9)
    assert only(steady, steady).verdict == "same"
    assert only(runs.timed(NAME, 0.1), runs.timed(NAME, 0.1)).verdict == "unclear"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"setup": Setup(device="cpu", dtype="bfloat16", threads=8)}, "dtype: float32 and bfloat16"),
        ({"setup": Setup(device="cpu", dtype="float32", threads=8, sync="none")}, "sync: synchronize and none"),
        ({"protocol": "post-2022"}, "protocol: hot and post-2022"),
    ],
)
def test_what_differs_is_named(changed: dict[str, Any], words: str) -> None:
    one = runs.timed(NAME, 0.1)
    case = only(one, msgspec.structs.replace(one, **changed))
    assert (case.ratio, case.verdict, case.reason) == (None, "not compared", words)


def test_another_torch_is_a_warning_and_compared_all_the_same() -> None:
    one = runs.timed(NAME, 0.1)
    summary = compared([one], [runs.timed(NAME, 0.05)], torch="2.12.0")
    assert summary.warnings == ("another torch: 2.13.0 and 2.12.0",)
    assert [case.verdict for case in summary.cases] == ["faster"]


def test_other_threads_are_compared_all_the_same() -> None:
    four = Setup(device="cpu", dtype="float32", threads=4)
    case = only(runs.timed(NAME, 0.1), runs.timed(NAME, 0.2, four))
    assert (case.verdict, case.how) == ("slower", "cpu, 8 threads / cpu, 4 threads")


def test_autocast_and_cast_are_other_work() -> None:
    cast = Setup(device="mps", dtype="float16", precision="cast")
    auto = Setup(device="mps", dtype="float16", precision="autocast")
    assert only(runs.timed(NAME, 0.1, cast), runs.timed(NAME, 0.1, auto)).reason == "precision: cast and autocast"


def test_another_quality_is_never_compared() -> None:
    name = "images/resize/512/batch=1/other quality"
    assert only(runs.timed(name, 0.1), runs.timed(name, 0.2)).verdict == "not compared"


def test_the_largest_differences_first_and_the_others_counted() -> None:
    before = [runs.timed(f"a/{n}", 1.0, items=8, item="images") for n in range(15)]
    after = [runs.timed(f"a/{n}", 1.0 + n * (-1) ** n / 20, items=8, item="images") for n in range(15)]
    summary = compared(before, after)
    shown = largest_differences(summary)
    assert [one.name for one in shown[:2]] == ["a/13", "a/11"]
    assert "smaller difference" in screen_of(summary)
    assert shown[0].rate_a == pytest.approx(8.0)


def once(name: str, seconds: float) -> Measurement:
    return Measurement(name=name, setup=runs.PLAIN, unit="s", samples=(seconds,))


def test_what_is_not_decided_is_counted_however_large_it_looks() -> None:
    steady = Measurement(name="a/same", setup=runs.PLAIN, unit="s", samples=(0.1,) * 9)
    wide = Measurement(name="a/wide", setup=runs.PLAIN, unit="s", samples=tuple(0.1 * n for n in range(1, 10)))
    before = [once("a/single", 1.0), wide, steady, runs.timed("a/decided", 1.0)]
    after = [once("a/single", 1000.0), wide, steady, runs.timed("a/decided", 1.1)]
    summary = compared(before, after)
    assert [one.name for one in largest_differences(summary)] == ["a/decided"]
    said = " ".join(screen_of(summary).split())
    assert "not shown: 1 case the same, 2 cases not decided (1 of them for want of samples" in said


def test_without_a_decided_difference_there_is_no_table_of_them() -> None:
    said = screen_of(compared([once("a/single", 1.0)], [once("a/single", 1000.0)]))
    assert "The largest differences" not in said
    assert "1 case not decided (1 of them for want of samples" in said


def test_a_narrow_terminal_gets_lines_instead_of_a_table() -> None:
    summary = compared([runs.timed(NAME, 0.2)], [runs.timed(NAME, 0.1)])
    said = screen_of(summary, width=40)
    assert max(map(len, said.splitlines())) <= 40
    assert "┃" not in said
    assert "(cpu, 8 threads): 200 ms → 100 ms, 2.00× (1.94×–2.06×), faster" in " ".join(said.split())


def screen_of(summary: Summary, width: int = 120) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    print_comparison(console, summary)
    return console.export_text()


def test_a_failure_is_the_reason() -> None:
    case = only(runs.timed(NAME, 0.1, runs.ON_MPS), runs.without(NAME, "wrong", "differs by 3"))
    assert case.reason == "B is wrong: differs by 3"


def test_accelerators_of_two_machines_are_set_against_each_other() -> None:
    cuda = Setup(device="cuda:0", dtype="float32")
    case = only(runs.timed(NAME, 0.1, runs.ON_MPS), runs.timed(NAME, 0.05, cuda))
    assert (case.how, case.verdict) == ("mps / cuda:0", "faster")


def test_threads_of_one_run_stay_apart() -> None:
    one_thread = Setup(device="cpu", dtype="float32", threads=1)
    both = [runs.timed(NAME, 0.1), runs.timed(NAME, 0.4, one_thread)]
    assert [case.ratio for case in compared(both, both).cases] == [1.0, 1.0]


def test_what_only_one_run_has_is_listed() -> None:
    summary = compared([runs.timed("a/x", 1.0)], [runs.timed("b/y", 1.0)])
    assert summary.only_a == ("a/x on cpu, 8 threads",)
    assert summary.only_b == ("b/y on cpu, 8 threads",)
    assert "they have no case in common" in verdict_words(summary)


def test_zero_makes_no_ratio() -> None:
    nothing = Measurement(name=NAME, setup=runs.PLAIN, unit="bytes", samples=(0.0,) * 9)
    something = Measurement(name=NAME, setup=runs.PLAIN, unit="bytes", samples=(1.0,) * 9)
    assert only(nothing, something).verdict == "not compared"


def test_memory_is_more_or_less_and_no_regression() -> None:
    def held(size: float) -> Measurement:
        return Measurement(name=NAME, setup=runs.PLAIN, unit="bytes", quantity="peak memory", samples=(size,) * 9)

    summary = compared([held(100.0)], [held(300.0)])
    assert summary.cases[0].verdict == "more"
    assert regressions(summary, 5.0) == []


def test_a_regression_must_lie_beyond_doubt() -> None:
    before = [runs.timed("a/x", 1.0), runs.timed("a/y", 1.0)]
    summary = compared(before, [runs.timed("a/x", 1.2), runs.timed("a/y", 1.06)])
    assert [one.name for one in regressions(summary, 5.0)] == ["a/x"]
    assert regressions(summary, 50.0) == []


def test_the_summary_names_the_winner() -> None:
    before = [runs.timed("a/x", 2.0), runs.timed("a/y", 2.0)]
    summary = compared(before, [runs.timed("a/x", 1.0), runs.timed("a/y", 1.0)])
    assert verdict_words(summary) == "new is 2 times as fast as old (2 cases compared, 2 decided)."


def test_two_machines_are_compared_each_at_its_best() -> None:
    xeon, mac = Machine("Xeon", "a", runs.cpu_run()), Machine("Mac", "b", runs.accelerated_run())
    summary = compare_runs(xeon, mac)
    assert verdict_words(summary) == (
        "Mac trains 7.4 to 15 times as fast as Xeon, and evaluates 7.1 to 14 times as fast (each at its best; "
        "training in float16 autocast against float32, "
        "both in float32 5.7 to 11 times as fast)."
    )
    assert summary.at_best[0].how_b == "mps float16 autocast"
    assert "another machine: Intel Xeon and Apple M4 Max" in summary.warnings


def test_the_verdict_of_a_mixed_picture_and_of_none() -> None:
    before = [runs.timed("a/x", 1.0), runs.timed("a/y", 1.0), runs.timed("a/z", 1.0)]
    mixed = compared(before, [runs.timed("a/x", 2.0), runs.timed("a/y", 0.5), runs.timed("a/z", 0.5)])
    assert verdict_words(mixed) == (
        "new is 2 times as fast in the middle case (from 2 times slower to 2 times as fast) as old "
        "(3 cases compared, 3 decided)."
    )
    assert verdict_words(compared(before, before)).startswith("No difference between new and old can be told")


def steady(name: str, seconds: float) -> Measurement:
    return Measurement(name=f"inference/{name}", setup=runs.PLAIN, unit="s", samples=(seconds,) * 9)


def test_one_case_of_many_does_not_speak_for_all() -> None:
    before = [*(steady(name, 0.1) for name in "abcdef"), *(runs.timed(f"inference/{name}", 0.1) for name in "xyz")]
    after = [msgspec.structs.replace(before[0], samples=(0.12,) * 9), *before[1:]]
    assert verdict_words(compared(before, after)) == (
        "new against old: the same in 5 of 9 cases; slower in 1: a evaluation 1.20×; 3 not decided."
    )
    after[1] = msgspec.structs.replace(before[1], samples=(0.13,) * 9)
    after[2] = msgspec.structs.replace(before[2], samples=(0.05,) * 9)
    assert verdict_words(compared(before, after)) == (
        "new against old: the same in 3 of 9 cases; faster in 1: c evaluation 2.00×; "
        "slower in 2, the most in b evaluation 1.30×; 3 not decided."
    )
    few = [steady("a", 0.12), *before[6:]]
    assert verdict_words(compared([steady("a", 0.1), *before[6:]], few)) == (
        "new against old: slower in 1 of 4 cases: a evaluation 1.20×; 3 not decided."
    )


def test_the_same_is_decided() -> None:
    before = [steady(name, 0.1) for name in "abc"]
    after = [steady("a", 0.05), steady("b", 0.05), steady("c", 0.1)]
    assert verdict_words(compared(before, before)) == "new and old are equally fast (3 cases compared, 3 decided)."
    assert verdict_words(compared(before, after)) == "new is 2 times as fast as old (3 cases compared, 3 decided)."


def test_a_run_beside_itself_is_said_in_one_sentence() -> None:
    machine = Machine("last", "a.jsonl", runs.make_run(runs.timed(NAME, 0.1)))
    stream = io.StringIO()
    print_comparison(Console(file=stream, width=200), compare_runs(machine, machine))
    assert stream.getvalue() == "Both are the same run: there is nothing to compare.\n"


def test_one_percent_between_two_sittings_is_no_difference() -> None:
    slightly = Measurement(name=NAME, setup=runs.PLAIN, unit="s", samples=(0.102,) * 9)
    steady = Measurement(name=NAME, setup=runs.PLAIN, unit="s", samples=(0.1,) * 9)
    assert only(steady, slightly).verdict == "same"


def test_what_is_no_time_is_counted_beside_the_times() -> None:
    def both(seconds: float, size: float) -> list[Measurement]:
        memory = Measurement(name=NAME, setup=runs.PLAIN, unit="bytes", quantity="peak memory", samples=(size,) * 9)
        return [runs.timed(NAME, seconds), memory]

    summary = compared(both(2.0, 1e6), both(1.0, 2e6))
    assert "(1 case compared, 1 decided; beside them 1 of memory and the like)" in verdict_words(summary)


def test_beside_other_programs_nothing_is_called_a_difference() -> None:
    busy = Finding(
        kind="machine",
        subject="a busy machine, during the run",
        verdict="busy",
        level="warning",
        tier="measured",
        evidence="other programs kept 1.8 of 2 cores busy: speeds are lower",
        facts={"others": 1.8},
    )
    a, b = runs.make_run(runs.timed(NAME, 0.1), busy), runs.make_run(runs.timed(NAME, 0.2))
    summary = compare_runs(Machine("A", "a.jsonl", a), Machine("B", "b.jsonl", b))
    assert [one.verdict for one in summary.cases] == ["unclear"]
    assert "A: this machine was busy (other programs kept 1.8 of 2 cores busy)" in summary.warnings[0]
    assert regressions(summary, 10) == []
