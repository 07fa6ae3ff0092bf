"""`torchstone ops` as a person calls it, on a device that misbehaves in every way that the atlas has a word for."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Program

from torchstone import cli
from torchstone.store import read_run

ROOT = Path(__file__).parents[2]
PATH = os.pathsep.join((str(ROOT), str(ROOT / "src")))
FAULTY = {"TORCHSTONE_PRETEND_KNOBS": "tests.ops.faulty:all", "PYTHONPATH": PATH, "OMP_NUM_THREADS": "1"}
EXPECTED = {
    ("cumsum", "float32", "forward"): "unsupported",
    ("exp", "float32", "forward"): "wrong",
    ("tan", "float32", "forward"): "crash",
    ("atan", "float32", "forward"): "hang",
    ("tanh", "float32", "forward"): "ok",
    ("tanh", "float32", "backward"): "wrong",
    ("erf", "float32", "forward"): "flaky",
    ("cos", "float16", "forward"): "dtype",
    ("cos", "float32", "forward"): "ok",
    ("abs", "float32", "forward"): "ok",
    ("abs", "float32", "backward"): "ok",
}


def cells_in(done: "subprocess.CompletedProcess[str]") -> dict[tuple[str, str, str], dict[str, Any]]:
    document = json.loads(done.stdout)
    return {(cell["name"], cell["dtype"], cell["direction"]): cell for cell in document["cells"]}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> "subprocess.CompletedProcess[str]":
    """All verdicts at once: starting the workers costs most of the time."""
    names = sorted({"asinh", *(name for name, _, _ in EXPECTED)})
    options = ("--device", "pretend", "--dtype", "float32,float16", "--samples", "3", "--limit", "15", "--json")
    command = [sys.executable, "-m", "torchstone", "ops", *names, *options]
    variables = {**os.environ, **FAULTY, "TORCHSTONE_RUNS": str(tmp_path_factory.mktemp("runs"))}
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300, check=False)


def test_every_planted_fault_is_named(judged: "subprocess.CompletedProcess[str]") -> None:
    cells = cells_in(judged)
    assert {key: cells[key]["verdict"] for key in EXPECTED} == EXPECTED
    # The device warns of it once in a process, and each worker meets it in the dtype that it is handed first.
    assert "falls_back" in {cells["asinh", dtype, "forward"]["verdict"] for dtype in ("float16", "float32")}
    assert judged.returncode == 1


def test_the_document_is_as_promised(judged: "subprocess.CompletedProcess[str]") -> None:
    document = json.loads(judged.stdout)
    assert document["device"] == "pretend:0"
    assert document["torch"].startswith("2.")
    wanted = {"op", "variant", "dtype", "direction", "verdict", "tier", "reason"}
    assert all(wanted <= cell.keys() for cell in document["cells"])
    assert all(cell["op"].startswith("aten::") and cell["tier"] == "measured" for cell in document["cells"])


def test_resume_finds_nothing_left(judged: "subprocess.CompletedProcess[str]", program: Program) -> None:
    before = json.loads(judged.stdout)
    options = ("--device", "pretend", "--dtype", "float32,float16", "--samples", "3", "--json")
    names = sorted({"asinh", *(name for name, _, _ in EXPECTED)})
    again = program("ops", *names, *options, "--resume", before["run"], **FAULTY)
    assert json.loads(again.stdout)["cells"] == before["cells"]


def test_resume_goes_on_with_what_was_asked_for(judged: "subprocess.CompletedProcess[str]", program: Program) -> None:
    """Nothing is named again: not the operators, the dtypes, the samples or the device."""
    before = json.loads(judged.stdout)
    again = program("ops", "--resume", "last", "--json", TORCHSTONE_RUNS=str(Path(before["run"]).parent), **FAULTY)
    assert json.loads(again.stdout)["cells"] == before["cells"]
    assert f"going on with {before['run']} (begun 2" in again.stderr
    assert {"exp", "--dtype=float16", "--samples=3", "--limit=15"} <= set(read_run(before["run"]).asked)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (("sin",), "not sin"),
        (("--dtype", "float64"), "not --dtype=float64"),
        (("--samples", "24"), "not --samples=24"),
        (("--probe",), "not --probe"),
    ],
)
def test_resume_refuses_another_sweep(
    judged: "subprocess.CompletedProcess[str]", program: Program, named: tuple[str, ...], words: str
) -> None:
    done = program("ops", *named, "--resume", json.loads(judged.stdout)["run"], **FAULTY)
    assert done.returncode == 2
    assert words in done.stderr
    assert "leave that out to go on with it" in done.stderr


def test_the_last_runs_are_found_by_name(judged: "subprocess.CompletedProcess[str]", program: Program) -> None:
    folder = str(Path(json.loads(judged.stdout)["run"]).parent)
    done = program("ops", "diff", "last", "last", "--json", TORCHSTONE_RUNS=folder)
    assert json.loads(done.stdout)["compared"] == len(json.loads(judged.stdout)["cells"])
    shown = program("ops", "show", "exp", "--run", "last", "--runs", folder, "--json")
    assert {cell["name"] for cell in json.loads(shown.stdout)["cells"]} == {"exp"}


def test_a_reproduction_runs(judged: "subprocess.CompletedProcess[str]", program: Program, tmp_path: Path) -> None:
    run = json.loads(judged.stdout)["run"]
    shown = program("ops", "show", "exp", "--dtype", "float32", "--run", run, "--repro")
    assert shown.returncode == 0, shown.stderr
    script = tmp_path / "shows_it.py"
    script.write_text(shown.stdout, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert "cpu in float64:" in done.stdout, done.stderr


def test_a_difference_of_a_run_with_itself_is_none(
    judged: "subprocess.CompletedProcess[str]", program: Program
) -> None:
    run = json.loads(judged.stdout)["run"]
    done = program("ops", "diff", run, run, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["compared"] == len(json.loads(judged.stdout)["cells"])
    assert found["gained"] == found["lost"] == found["became_wrong"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ops", "add", "--dtype", "flot32"), "float32"),
        (("ops", "add", "--device", "nonesuch"), "no device 'nonesuch'"),
        (("ops", "show"), "show takes one operator"),
        (("ops", "diff", "one"), "diff takes two"),
        (("ops", "cumsun", "--device", "cpu"), "cumsum"),
        (
            ("ops", "exp", "--dtype", "complex32", "--device", "cpu"),
            "the CPU, which answers are compared with, does not",
        ),
        (("ops", "diff", "last", "last~1"), "there is no last"),
        (("ops", "show", "exp", "--run", "last"), "there is no last"),
        (("ops", "--static", "abacus"), "abacus"),
        (("ops", "diff", "torch==2.12", "run.jsonl"), "can't be compared"),
        (("ops", "relo", "--static", "mps"), "relu"),
        (("ops", "relu", "--static", "mps", "--dtype", "flot16"), "float16"),
        (("ops", "--static", "mps", "--torch", "two"), "no release of torch"),
        (("ops", "--static", "mps", "--wheel", "absent.whl"), "No such file"),
    ],
)
def test_mistakes_are_sentences(program: Program, arguments: tuple[str, ...], words: str) -> None:
    done = program(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["--speed", "--probe"])
def test_a_budget_that_is_over_at_once_is_no_success(program: Program, kind: str) -> None:
    done = program("ops", kind, "--device", "pretend", "--budget", "0.001", OMP_NUM_THREADS="1")
    assert done.returncode == 1
    assert "error: nothing was judged: " in done.stderr
    assert "hint: give more --budget" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--torch", "2.15"], "--torch needs --static"),
        (["--deep"], "--deep needs --static"),
        (["--static", "mps", "--probe"], "--probe means nothing"),
        (["--static", "mps", "--device", "cpu"], "--device means nothing"),
        (["show", "relu", "--static", "mps"], "--static makes none"),
        (["relu", "--repro"], "--repro is for one operator"),
        (["--static", "mps", "--wheel", "/dev/zero"], "not a regular file"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["ops", *arguments]) == 2
    assert words in capsys.readouterr().err
