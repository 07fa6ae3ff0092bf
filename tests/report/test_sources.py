"""Names for the newest runs."""

from pathlib import Path

import pytest
from tests.report import runs

from torchstone.errors import UserError
from torchstone.report import sources
from torchstone.report.sources import read_machine, short_name
from torchstone.store import find_run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCHSTONE_RUNS", str(tmp_path))
    for day in (1, 2):
        runs.write_run(tmp_path / f"2026110{day}T000000Z-aa.jsonl", runs.make_run(run_id=f"day {day}"))
    return tmp_path


def test_last_is_the_newest_and_the_one_before(folder: Path) -> None:
    assert read_machine("last").run.id == "day 2"
    assert read_machine("old=last~1").run.id == "day 1"
    assert read_machine("old=last~1").label == "old"


def test_what_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(UserError, match="there is no last~2"):
        find_run("last~2")


def test_a_file_of_that_name_is_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "last").write_text("a file")
    assert find_run("last") == "last"


def test_only_the_newest_has_a_short_name(folder: Path) -> None:
    newest = str(folder / "20261102T000000Z-aa.jsonl")
    assert short_name(newest) == "last"
    assert short_name("elsewhere.jsonl") == "elsewhere.jsonl"


def test_of_very_many_records_the_first_and_every_problem_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_RECORDS", 10)
    fine = [runs.timed(f"inference/m{number}", 1.0) for number in range(50)]
    wrong = runs.without("inference/late", "wrong", "differs")
    path = runs.write_run(tmp_path / "many.jsonl", runs.make_run(*fine, wrong, *fine))
    with pytest.warns(UserWarning, match="90 more records"):
        found = read_machine(path)
    assert len(found.run.records) == 11
    assert found.run.records[-1] == wrong
    assert "90 more records" in found.remarks[0]


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        (("old/run.jsonl", "new/run.jsonl"), ["old/run", "new/run"]),
        (("old/a/run.jsonl", "new/a/run.jsonl"), ["old/a/run", "new/a/run"]),
        (("old.jsonl", "new.jsonl"), ["old", "new"]),
        (("same.jsonl", "same.jsonl"), ["Xeon (1)", "Xeon (2)"]),
    ],
)
def test_two_runs_of_one_machine_are_called_by_what_tells_them_apart(
    paths: tuple[str, str], labels: list[str], tmp_path: Path
) -> None:
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        runs.write_run(tmp_path / path, runs.make_run(chip="Xeon"))
    found = sources.read_machines([str(tmp_path / path) for path in paths])
    assert [machine.label for machine in found] == labels
