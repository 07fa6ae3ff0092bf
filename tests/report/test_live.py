"""What is shown while a run goes on."""

from torchstone.records import Finding, Measurement, Setup
from torchstone.report.live import live_view, record_words, spark_line
from torchstone.scheduling import Progress


def test_a_spark_line_goes_from_lowest_to_highest() -> None:
    assert spark_line((1.0, 2.0)) == "▁█"
    assert spark_line((1.0, 1.0, 1.0)) == "▁▁▁"
    assert spark_line((1.0,)) == ""


def test_a_record_in_a_line() -> None:
    setup = Setup(device="mps")
    assert record_words(Measurement(name="x", setup=setup, unit="s", samples=(0.002,))) == "x on mps: time 2 ms"
    failed = Measurement(name="x", setup=setup, unit="s", status="failed", reason="it broke")
    assert record_words(failed) == "x on mps: failed, it broke"
    wrong = Measurement(name="x", setup=setup, unit="s", samples=(1.0,), status="wrong", reason="garbage")
    assert record_words(wrong) == "x on mps: time 1 s (wrong: garbage)"
    finding = Finding(kind="leak", subject="x", verdict="leak", tier="measured", evidence="…")
    assert record_words(finding) == "x: leak"


def test_off_a_terminal_there_is_a_plain_line_for_each_record(capsys) -> None:  # type: ignore[no-untyped-def]
    record = Measurement(name="[odd] name", setup=Setup(), unit="s", samples=(1.0,))
    with live_view(10.0) as show:
        show(Progress("case", 9.0, 0, 1))
        show(Progress("case", 8.0, 0, 1, record=record))
    assert capsys.readouterr().err == "[   8 s left] [odd] name on cpu: time 1 s\n"
