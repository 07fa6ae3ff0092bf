"""The screen after `bench`: answers in under 25 lines of 100 columns, whatever the run holds."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console
from tests.report import runs

from torchstone.records import Finding, Measurement, Run
from torchstone.report.bench_screen import print_screen


def shown(run: Run, name: str = "last", in_full: bool = False, width: int = 100) -> str:
    stream = io.StringIO()
    print_screen(Console(file=stream, width=width), run, name, in_full)
    return stream.getvalue()


def many_troubles() -> Run:
    broken = [runs.without(f"inference/m{n}/batch=1", "wrong", f"differs in way {'x' * n}") for n in range(30)]
    skipped = [runs.without(f"load/m{n}", "skipped", "why " + "y" * n) for n in range(30)]
    return runs.make_run(*runs.of_a_device("mps", 8.0, 10.0), *broken, *skipped, load=5.0, made_up=True)


ALL = [runs.accelerated_run, runs.cpu_run, runs.slow_device_run, runs.busy_run, runs.typical_run, many_troubles]


@pytest.mark.parametrize("make", [*ALL, runs.make_run], ids=lambda make: make.__name__)
def test_under_25_lines_of_100_columns(make: object) -> None:
    lines = shown(make()).splitlines()  # type: ignore[operator]
    assert len(lines) < 25
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_the_five_questions_are_answered(make: object) -> None:
    from torchstone.report.answers import answer_run

    run: Run = make()  # type: ignore[operator]
    answers, text = answer_run(run), shown(run)
    flat = " ".join(text.split())
    assert answers.headline in flat
    assert all(sentence[:60] in flat for sentence in answers.use.sentences)
    assert answers.trust.sentence[:60] in flat
    assert ("Broken" in text) is bool(answers.broken)
    assert all(one.to_do[:60] in flat for one in answers.broken[:2])


def test_bars_are_linear_and_undecided_ones_are_marked() -> None:
    text = shown(runs.accelerated_run())
    (line,) = [line for line in text.splitlines() if line.startswith("  VGG-16")]
    assert "██████████████ 16.6×" in line
    assert "2.00×?" in shown(runs.busy_run())


def test_hostile_words_are_printed_as_they_are() -> None:
    run = runs.make_run(runs.without("inference/[bold]x", "wrong", "by [3] \x1b[31m red"), chip="[odd] chip")
    text = shown(run, "runs/[x].jsonl")
    assert "[odd] chip" in text
    assert "by [3] red" in text
    assert "torchstone report runs/[x].jsonl --open" in text


def test_single_predictions_and_epochs_are_left_to_the_page() -> None:
    told = [
        Finding(kind=kind, subject=f"finetune/{kind}", verdict="mistake", tier="measured", evidence="named so")
        for kind in ("prediction", "finetune")
    ]
    assert "finetune/" not in shown(runs.make_run(*told))


def test_one_sample_decides_nothing() -> None:
    name = "training/resnet50/train/batch=2"
    one = Measurement(name=name, setup=runs.PLAIN, unit="s", samples=(2.0,), contest=name)
    fast = Measurement(name=name, setup=runs.ON_MPS, unit="s", samples=(0.02,), contest=name)
    assert "Nothing could be decided" in shown(runs.make_run(one, fast))


def test_in_full_nothing_is_cut() -> None:
    reason = "differs " + "from the right answer " * 5 + "in its last row"
    wrong, failed = runs.without("inference/y", "wrong", reason), runs.without("inference/z", "failed", "it crashed")
    run = runs.make_run(runs.timed("inference/x/batch=1", 1.0), wrong, failed)
    assert "in its last row" not in shown(run)
    assert "in its last row" in " ".join(shown(runs.make_run(wrong)).split()), "alone it has two lines"
    assert "in its last row" in " ".join(shown(run, in_full=True).split())
    assert "…" not in shown(run, in_full=True)


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("make", ALL)
def test_a_narrower_terminal_folds_instead_of_cutting(make: Callable[[], Run], width: int) -> None:
    folded = shown(make(), name="", width=width)
    assert max(map(len, folded.splitlines())) <= width
    wide, narrow = (" ".join(text.split()) for text in (shown(make(), name="", in_full=True), folded))
    for heading in ("Use", "Broken", "Trust"):
        assert (f" {heading} " in narrow) == (f" {heading} " in wide)


def test_both_stages_have_room_on_a_narrow_terminal() -> None:
    run = runs.make_run(*runs.of_a_device("mps", 8.0, 10.0))
    for width in (40, 80):
        assert {"training", "evaluation"} <= set(shown(run, width=width).split())
