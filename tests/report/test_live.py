"""What is shown while a run goes on."""

import pytest
from tests.report import runs

from torchstone.records import Finding, Measurement, Scalar, Setup
from torchstone.report.cases import make_row
from torchstone.report.live import LiveLines, QuietLines, group_words, live_view, record_words, spark_line
from torchstone.scheduling.runner import Progress

NAME = "inference/resnet50/batch=8"


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


def test_on_a_terminal_a_bar_the_results_and_what_is_at_work() -> None:
    lines = LiveLines(100.0)
    cpu, mps = runs.contest(NAME, {runs.PLAIN: 0.06, runs.ON_MPS: 0.01})
    lines.show(Progress(NAME, 60.0, 1, 7, runs.PLAIN, "", cpu))
    head, first, second, last = lines.show(Progress(NAME, 50.0, 2, 7, runs.ON_MPS, "timing", mps))
    assert head.startswith("  █████████████░░░░░░░░░░░░░  inference · mps")
    assert head.endswith("2 of 7 cases · 0:50 left")
    assert "ResNet-50 evaluation, batch 8, cpu" in first
    assert "6.00× the plain CPU" in second
    assert last == "    ResNet-50 evaluation, batch 8, mps    timing …"


def test_off_a_terminal_a_line_an_experiment_and_device() -> None:
    printed: list[str] = []
    clock = iter(range(0, 1000, 18))
    quiet = QuietLines(printed.append, 180.0, lambda: float(next(clock)))
    for record in runs.contest(NAME, {runs.PLAIN: 0.5, runs.ON_MPS: 0.1}, items=8, item="images"):
        quiet.show(Progress(NAME, 100.0, 1, 3, None, "", record))
    quiet.show(Progress(NAME, 99.0, 1, 3, None, "", runs.without(NAME, "skipped", "no time")))
    quiet.show(Progress(NAME, 98.0, 2, 3))
    quiet.finish()
    assert printed == [
        "measuring for 3:00; --verbose shows every record",
        "1:12  2 of 3 cases · inference/resnet50/batch=8",
        "0:18  inference    cpu      ResNet-50 evaluation, batch 8 16 images/s",
        "0:54  inference    mps      ResNet-50 evaluation, batch 8 79.8 images/s   1 skipped",
    ]


def test_of_a_case_that_has_another_turn_the_newest_result_is_told() -> None:
    printed: list[str] = []
    quiet = QuietLines(printed.append, 180.0, lambda: 0.0)
    for seconds in (0.5, 0.25):
        for record in runs.contest(NAME, {runs.PLAIN: seconds}, items=8, item="images"):
            quiet.show(Progress(NAME, 100.0, 1, 3, None, "", record))
    quiet.finish()
    assert printed[-1].endswith("ResNet-50 evaluation, batch 8 31.9 images/s")


def test_what_gives_no_figure_is_named_as_checked() -> None:
    floor = Measurement(
        name="leak/convnet/training step", setup=Setup(), unit="bytes", samples=(4.0, 4.0), quantity="memory floor"
    )
    assert group_words([floor, floor]) == "small ConvNet, training step checked"


def test_the_plain_run_of_another_engines_contest_is_not_its_speed() -> None:
    plain, other = runs.PLAIN, runs.changed(runs.PLAIN, engine="onnxruntime")
    raced = [runs.timed("tune/mine/onnxruntime", 0.1, plain), runs.timed("tune/mine/eager", 0.1, plain)]
    assert group_words(raced) == "mine, eager 100 ms"
    assert group_words([*raced, runs.timed("tune/mine/onnxruntime", 0.05, other)]).endswith("mine, onnxruntime 50 ms")


def test_verbose_gives_a_line_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    record = Measurement(name="[odd] name", setup=Setup(), unit="s", samples=(1.0,))
    with live_view(10.0, verbose=True) as show:
        show(Progress("images", 9.0, 0, 1))
        show(Progress("images", 8.0, 0, 1, record=record))
    assert capsys.readouterr().err == "[   8 s left] [odd] name on cpu: time 1 s\n"


@pytest.mark.parametrize(
    ("share", "facts", "words"),
    [
        (4 / 6, {"test images": 6}, "66.7% (4 of 6 photographs)"),
        (0.5, {"measured on": "validation photographs", "validation images": 2, "test images": 656}, "(1 of 2 "),
        (0.869, {"test images": 656}, "86.9%"),
        (0.869, {}, "86.9%"),
        (0.869, {"test images": "many"}, "86.9%"),
    ],
)
@pytest.mark.parametrize("quantity", ["accuracy", "test accuracy"])
def test_an_accuracy_says_how_few_photographs_it_is_of(
    share: float, facts: dict[str, Scalar], words: str, quantity: str
) -> None:
    name = "finetune/efficientnet_lite0/probe"
    one = Measurement(name=name, setup=Setup(), unit="1", quantity=quantity, samples=(share,), facts=facts)
    progress = Progress("finetune", 1.0, 1, 1, record=one)
    live = "\n".join(LiveLines(10.0).show(progress))
    for said in (record_words(one), make_row("", one).value_words, live):
        assert words in said
        assert ("photographs" in said) == ("(" in words)
    if quantity == "accuracy":
        assert words in group_words([one])


def test_what_is_not_in_seconds_has_no_rate() -> None:
    one = Measurement(name="a/b", setup=Setup(), unit="furlong", samples=(2.0,), facts={"items": 8})
    assert group_words([one]) == "b 2 furlong"
