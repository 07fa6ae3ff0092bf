"""`compare` where the same case of two runs is another amount of work, as a person's own model at another batch."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Measurement, Run
from torchstone.report.compare_screen import print_comparison
from torchstone.report.comparing import Summary, compare_runs, regressions, verdict_words
from torchstone.report.sources import Machine

OWN = "inference/models.Mod"


def at_batch(batch: int, seconds: float, item: str = "rows") -> Measurement:
    return runs.timed(OWN, seconds, items=batch, item=item, batch=batch)


def latency(batch: int, seconds: float) -> Measurement:
    one = runs.timed(f"{OWN}/latency=hot", seconds, items=batch, item="rows", batch=batch)
    return msgspec.structs.replace(one, quantity="latency")


def compared(a: Run, b: Run) -> Summary:
    return compare_runs(Machine("b8", "a", a), Machine("b64", "b", b))


def test_another_batch_is_compared_by_its_items_a_second() -> None:
    small, large = runs.make_run(at_batch(8, 0.01)), runs.make_run(at_batch(64, 0.04))
    (case,) = compared(small, large).cases
    assert case.ratio == pytest.approx(0.5)
    assert case.low == pytest.approx(0.5 * 0.985 / 1.015)
    assert case.high == pytest.approx(0.5 * 1.015 / 0.985)
    assert (case.verdict, case.amount_a, case.amount_b) == ("faster", "batch 8", "batch 64")
    assert verdict_words(compared(small, large)) == (
        "b64 is 2 times as fast as b8 (1 case compared, 1 decided; by rows a second, as the amounts of work differ "
        "(b8: batch 8, b64: batch 64))."
    )


def test_the_direction_that_loses_items_a_second_is_the_regression() -> None:
    small, large = runs.make_run(at_batch(8, 0.01)), runs.make_run(at_batch(64, 0.04))
    assert regressions(compared(small, large), 5.0) == []
    assert [one.name for one in regressions(compared(large, small), 5.0)] == [OWN]


def test_a_latency_of_another_batch_is_not_compared() -> None:
    (case,) = compared(runs.make_run(latency(8, 0.01)), runs.make_run(latency(64, 0.04))).cases
    assert (case.ratio, case.reason) == (None, "batch 8 and batch 64: for latency not the same work")


def test_items_of_another_kind_are_not_compared() -> None:
    (case,) = compared(runs.make_run(at_batch(8, 0.01)), runs.make_run(at_batch(8, 0.04, "tokens"))).cases
    assert (case.ratio, case.reason) == (None, "counted in rows and in tokens")


def test_another_input_is_not_compared_but_for_its_number_of_rows() -> None:
    def of(shape: str, batch: int) -> Run:
        run = runs.make_run(at_batch(batch, 0.01))
        return msgspec.structs.replace(run, asked=("inference", "--model=models.py:Mod", f"--input={shape}"))

    (case,) = compared(of("8x256", 8), of("8x512", 8)).cases
    assert (case.ratio, case.reason) == (None, "another input: 8x256 and 8x512")
    assert compared(of("8x256", 8), of("64x256", 64)).cases[0].verdict == "faster"


def test_two_machines_are_not_set_against_each_other_at_best_in_another_batch() -> None:
    small = runs.make_run(at_batch(8, 0.01), chip="Xeon")
    large = runs.make_run(at_batch(64, 0.04), chip="M4")
    summary = compared(small, large)
    assert summary.at_best == ()
    assert verdict_words(summary).startswith(
        "b64 is 2 times as fast as b8 (1 case compared, 1 decided; by rows a second"
    )


def test_the_table_names_both_amounts() -> None:
    import io

    from rich.console import Console

    stream = io.StringIO()
    both = runs.make_run(at_batch(8, 0.01)), runs.make_run(at_batch(64, 0.04))
    print_comparison(Console(file=stream, width=160), compared(*both))
    assert "models.Mod evaluation, batch 8 / batch 64" in stream.getvalue()
