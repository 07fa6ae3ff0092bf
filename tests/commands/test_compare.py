"""`torchstone compare` as a person or a CI job runs it."""

import json
from pathlib import Path

import pytest
from tests.report import runs

from torchstone import cli
from torchstone.records import Measurement

NAME = "inference/resnet50/batch=1"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    before = runs.write_run(tmp_path / "before.jsonl", runs.make_run(runs.timed(NAME, 0.1), runs.timed("a/b", 1.0)))
    after = runs.write_run(tmp_path / "after.jsonl", runs.make_run(runs.timed(NAME, 0.2), runs.timed("a/b", 0.5)))
    return f"before={before}", f"after={after}"


def test_the_table_and_the_summary(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *files]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("after is ")
    assert out.splitlines()[0].endswith("as before (2 cases compared, 2 decided).")
    assert "after over before" in out
    assert "0.50×" in out


@pytest.mark.parametrize(("percent", "code"), [("5", 1), ("150", 0)])
def test_a_regression_is_a_no(
    files: tuple[str, str], percent: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["compare", *files, "--fail-on-regression", percent]) == code
    assert ("regression: " + NAME in capsys.readouterr().err) is (code == 1)


def test_one_json_document(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *files, "--json", "--fail-on-regression", "5"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["command"], told["a"], told["b"]) == ("compare", "before", "after")
    assert told["regressions"] == [NAME]
    assert set(told["answers"]) == {"before", "after"}
    assert [one["verdict"] for one in told["cases"]] == ["slower", "faster"]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (runs.without("inference/vgg16/batch=1", "wrong", "off by 3", runs.PLAIN), "is wrong: off by 3"),
        (runs.without("inference/vgg16/batch=1", "failed", "boom", runs.PLAIN), "failed: boom"),
        (None, "was not measured"),
    ],
)
def test_what_broke_or_is_missing_does_not_pass(
    after: Measurement | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [runs.timed(NAME, 0.1), runs.timed("inference/vgg16/batch=1", 0.1)]
    before = runs.write_run(tmp_path / "a.jsonl", runs.make_run(*both))
    later = runs.write_run(tmp_path / "b.jsonl", runs.make_run(both[0], *([after] if after else [])))
    assert cli.run(["compare", before, later]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert cli.run(["compare", before, later, "--fail-on-regression", "5"]) == 1
    assert f"regression: VGG-16 evaluation, batch 1 (cpu, 8 threads) {said}" in capsys.readouterr().err
    assert cli.run(["compare", before, later, "--fail-on-regression", "5", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["regressions"] == ["inference/vgg16/batch=1"]


@pytest.mark.parametrize("percent", ["-1", "x", "nan"])
def test_misuse(files: tuple[str, str], percent: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *files, "--fail-on-regression", percent]) == 2
    assert "error: " in capsys.readouterr().err


def test_a_check_beside_other_programs_does_not_pass(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = "a busy machine, during the run"
    busy = runs.finding("machine", "busy", subject, "other programs kept 1.0 of 2 cores busy: part of it is theirs")
    after = runs.write_run(tmp_path / "busy.jsonl", runs.make_run(runs.timed(NAME, 0.4), busy))
    assert cli.run(["compare", files[0], after, "--fail-on-regression", "5"]) == 2
    assert "no regression can be told" in capsys.readouterr().err


def test_a_check_that_compared_nothing_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = runs.write_run(tmp_path / "a.jsonl", runs.make_run(runs.timed(NAME, 0.1)))
    after = runs.write_run(tmp_path / "b.jsonl", runs.make_run(runs.timed("other/x", 0.9)))
    assert cli.run(["compare", before, after]) == 0
    assert cli.run(["compare", before, after, "--fail-on-regression", "5"]) == 2
    assert "they have no case in common" in capsys.readouterr().err


def test_a_check_of_a_run_against_itself_does_not_pass(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["compare", files[0], files[0]]) == 0
    assert "there is nothing to compare" in capsys.readouterr().out
    assert cli.run(["compare", files[0], files[0], "--fail-on-regression", "5"]) == 2
    assert "name two runs" in capsys.readouterr().err


def test_hostile_names_print_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [
        runs.write_run(tmp_path / f"{number}.jsonl", runs.make_run(runs.timed("a/[bold]\x1b[31mx[/nonsense]", number)))
        for number in (1.0, 2.0)
    ]
    assert cli.run(["compare", *paths]) == 0
    out = capsys.readouterr().out
    assert "[bold]x[" in out
    assert "\x1b" not in out
