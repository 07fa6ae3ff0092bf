"""`torchstone report` as a person runs it."""

import json
from pathlib import Path

import pytest
from tests.conftest import Program
from tests.report import runs

from torchstone import cli


@pytest.fixture
def run_file(tmp_path: Path) -> str:
    return runs.write_run(tmp_path / "run.jsonl", runs.typical_run())


def test_the_page_is_written_and_torch_is_not_needed(program: Program, run_file: str, tmp_path: Path) -> None:
    done = program("report", run_file, "-o", str(tmp_path / "page.html"), PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'page.html'}\n"
    assert "| torch\n" not in done.stderr
    assert (tmp_path / "page.html").stat().st_size < 1_500_000


def test_json_names_the_files(run_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "short.md"
    assert cli.run(["report", run_file, "--format", "markdown", "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["command"], told["format"], told["files"]) == ("report", "markdown", [str(output)])
    assert told["answers"]["M1 Max"]["headline"].startswith("mps trains 3 times as fast")
    assert output.read_text(encoding="utf-8").startswith("## mps trains 3 times as fast as the CPU")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "which run?"),
        (("absent.jsonl",), "cannot use absent.jsonl"),
        (("--learn", "absent"), "no grades in absent"),
        (("--format", "pdf"), "'pdf' is not one of"),
        (("-o", "-"), "which run?"),
        (("absent.jsonl", "-o", "-", "--format", "post"), "goes to standard output"),
        (("absent.jsonl", "-o", "-", "--json"), "leaves no file"),
    ],
)
def test_misuse(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "hint: " in err


def test_a_dash_is_standard_output(run_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "short.md"
    assert cli.run(["report", run_file, "--format", "markdown", "-o", str(output)]) == 0
    capsys.readouterr()
    assert cli.run(["report", run_file, "--format", "markdown", "-o", "-"]) == 0
    assert capsys.readouterr().out == output.read_text(encoding="utf-8") + "\n"


def test_published_figures_are_set_beside(run_file: str, tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    assert cli.run(["report", run_file, "--beside", "published", "-o", str(output)]) == 0
    assert '<section id="beside"' in output.read_text(encoding="utf-8")


def test_last_is_the_newest_run(run_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_RUNS", str(tmp_path))
    assert cli.run(["report", "last", "-o", str(tmp_path / "page.html")]) == 0
    assert cli.run(["report", "last~1", "-o", str(tmp_path / "page.html")]) == 2


def test_learn_report_is_the_same_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.report.test_learning import grade

    (tmp_path / ".torchstone").mkdir()
    (tmp_path / ".torchstone" / "grades.jsonl").write_bytes(grade("01_tensors/01_first", "solved", solved="2026-11-15"))
    output = tmp_path / "learning.html"
    assert cli.run(["learn", "--dir", str(tmp_path), "report", "-o", str(output)]) == 0
    assert capsys.readouterr().out == f"{output}\n"
    assert "1 of 1 exercises solved" in output.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_run_file_is_never_written_over(run_file: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(run_file).read_bytes()
    assert cli.run(["report", run_file, "-o", run_file, "--format", form]) == 2
    assert "is a run file" in capsys.readouterr().err
    assert Path(run_file).read_bytes() == before


@pytest.mark.parametrize("form", ["html", "markdown", "svg", "post"])
def test_folders_that_are_not_there_are_not_made_in_silence(
    run_file: str, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "typing error" / "page.html"
    assert cli.run(["report", run_file, "-o", str(output), "--format", form]) == 2
    assert f"there is no folder {output.parent}" in capsys.readouterr().err
    assert not output.parent.exists()


def test_a_slash_at_its_end_makes_a_folder(run_file: str, tmp_path: Path) -> None:
    assert cli.run(["report", run_file, "-o", f"{tmp_path}/new/"]) == 0
    assert cli.run(["report", run_file, "-o", str(tmp_path / "new"), "--format", "markdown"]) == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["report.html", "report.md"]
