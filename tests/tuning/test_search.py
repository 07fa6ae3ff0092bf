"""The whole search on a small model in real workers: a fast wrong candidate, one that dies, a model that can't be had.

The budgets are generous and nothing is asserted of speed: engines that take long are kept out by a folder of their own.
"""

import json
from pathlib import Path

import pytest
from tests.conftest import Program

from torchstone.backends import find_device
from torchstone.machine import busyness
from torchstone.machine.busyness import Business
from torchstone.records import Finding, Line
from torchstone.store import read_run
from torchstone.tuning import Wish, tune

MINE = """
import torch
from torch import nn

def model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), (torch.ones(2, 8),)

def loaded():
    data = torch.utils.data.TensorDataset(torch.ones(8, 8), torch.zeros(8))
    return model()[0], torch.utils.data.DataLoader(data, batch_size=4)

def broken():
    class Broken(nn.Module):
        def forward(self, x):
            raise RuntimeError("not like this")
    return Broken(), (torch.ones(2, 8),)
"""
LIAR = """
\"\"\"Fast and wrong.\"\"\"
from torchstone.engines import Prepared
from torchstone.models.placing import changed
import torch
COST = 0
def explain_absence(): return None
def setups(device, subject, plain): return (changed(plain, engine="liar"),) if device.kind == "cpu" else ()
def prepare(subject, setup, batch): return Prepared(lambda: torch.zeros(2, 4))
def emit(setup): return ""
"""
KAMIKAZE = (
    LIAR.replace("liar", "kamikaze")
    .replace("Fast and wrong", "Dies")
    .replace("return Prepared(lambda: torch.zeros(2, 4))", "import os; os.abort()")
)
SLEEPER = (
    LIAR.replace("liar", "sleeper")
    .replace("Fast and wrong", "Hangs")
    .replace("return Prepared(lambda: torch.zeros(2, 4))", "import time; time.sleep(1000)")
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "liar.py").write_text(LIAR)
    (tmp_path / "engines" / "kamikaze.py").write_text(KAMIKAZE)
    (tmp_path / "engines" / "sleeper.py").write_text(SLEEPER)
    return tmp_path


def test_a_search_with_a_liar_a_kamikaze_and_a_sleeper(program: Program, folder: Path) -> None:
    done = program(
        "tune",
        f"{folder}/mine.py:model",
        "--budget",
        "100",
        "--emit",
        str(folder / "tuned.py"),
        "--json",
        TORCHSTONE_ENGINES=str(folder / "engines"),
        TORCHSTONE_ONLY_ENGINES="eager,liar,kamikaze,sleeper",
        OMP_NUM_THREADS="2",
    )
    assert done.returncode == 0, done.stderr[-800:]
    answer = json.loads(done.stdout)
    assert [one["setup"]["engine"] for one in answer["wrong"]] == ["liar"]
    lost = {one["setup"]["engine"]: one["reason"] for one in answer["lost"]}
    assert "SIGABRT" in lost["kamikaze"]
    assert "did not end within" in lost["sleeper"]
    assert {one["setup"]["engine"] for one in answer["winners"]} == {"eager"}
    assert answer["chosen"]["engine"] == "eager"
    assert (folder / "tuned.py").read_text() == answer["code"]
    findings = [one for one in read_run(answer["run"]).findings if one.kind == "tune"]
    assert findings[0].evidence == answer["advice"]


def test_no_code_is_written_where_nothing_keeps_the_bounds(program: Program, folder: Path) -> None:
    target, code = f"{folder}/mine.py:model", folder / "tuned.py"
    bound = ("--objective", "throughput", "--latency-bound", "0.001", "--budget", "10", "--emit", str(code))
    done = program("tune", target, *bound, TORCHSTONE_ONLY_ENGINES="eager")
    assert done.returncode == 1, done.stderr[-800:]
    said = " ".join(done.stdout.split())
    assert "nothing is recommended" in said
    assert "was not written" in said
    assert not code.exists()


@pytest.mark.parametrize("device", ["pretend", pytest.param("vulkan", marks=pytest.mark.vulkan)])
def test_a_slower_device_is_tried_and_the_cpu_recommended(program: Program, folder: Path, device: str) -> None:
    done = program(
        "tune",
        f"{folder}/mine.py:model",
        "--device",
        device,
        "--budget",
        "200",
        "--json",
        TORCHSTONE_ONLY_ENGINES="eager",
    )
    assert done.returncode == 0, done.stderr[-800:]
    answer = json.loads(done.stdout)
    assert answer["chosen"]["device"] == "cpu"
    assert any(one.setup.device.startswith(device) for one in read_run(answer["run"]).measurements)


def test_energy_where_one_device_has_a_counter(program: Program, folder: Path) -> None:
    """The CPU's plain run stays, to be compared with; only the device with a counter can win."""
    done = program(
        "tune",
        f"{folder}/mine.py:model",
        *("--device", "pretend", "--objective", "energy", "--budget", "200", "--json"),
        TORCHSTONE_ONLY_ENGINES="eager",
        TORCHSTONE_PRETEND_KNOBS=json.dumps({"watts": 5.0, "op_seconds": 1e-4}),
    )
    assert done.returncode == 0, done.stderr[-800:]
    answer = json.loads(done.stdout)
    assert {one["setup"]["device"] for one in answer["winners"]} == {"pretend:0"}
    assert all(one["energy_joules"] > 0 for one in answer["winners"])
    assert any("energy of cpu" in note for note in answer["notes"])


def test_training_with_a_loader_says_how_many_workers(program: Program, folder: Path) -> None:
    done = program(
        "tune",
        f"{folder}/mine.py:loaded",
        "--train",
        "--budget",
        "200",
        "--json",
        TORCHSTONE_ONLY_ENGINES="eager",
    )
    assert done.returncode == 0, done.stderr[-800:]
    answer = json.loads(done.stdout)
    assert {one["workers"] for one in answer["workers"]} >= {0, 1}
    assert any(note.startswith("your DataLoader:") for note in answer["notes"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.py:model",), "nothing.py"),
        (("mine.py",), "does not say which model"),
        (("mine.py:model", "--objective", "speed"), "speed"),
        (("mine.py:model", "--objective", "energy"), "no device here has an energy counter"),
        (("mine.py:model", "--tolerance", "nan"), "not between"),
        (("mine.py:model", "--emit", "nowhere/tuned.py"), "cannot be written"),
    ],
)
def test_mistakes_are_sentences(
    program: Program, folder: Path, arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = program("tune", *arguments, "--budget", "10")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_that_cannot_be_run_is_an_answer_and_it_is_no(program: Program, folder: Path) -> None:
    done = program("tune", f"{folder}/mine.py:broken", "--budget", "10", TORCHSTONE_ONLY_ENGINES="eager")
    assert done.returncode == 1
    assert "the plain run could not be measured: RuntimeError: not like this" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_code_never_replaces_the_model(program: Program, folder: Path) -> None:
    before = (folder / "mine.py").read_bytes()
    done = program("tune", f"{folder}/mine.py:model", "--budget", "2", "--emit", f"{folder}/mine.py")
    assert (done.returncode, "would replace the model itself" in done.stderr) == (2, True)
    assert (folder / "mine.py").read_bytes() == before


def test_a_busy_machine_is_said_and_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watched before the search and over all of it."""
    monkeypatch.setenv("TORCHSTONE_ONLY_ENGINES", "eager")
    monkeypatch.setattr(busyness, "watch", lambda: Business(cores=2, others=1.7, stolen=0.0, throttles=0))
    kept: list[Line] = []
    answer = tune(Wish(f"{folder}/mine.py:model", (find_device("cpu")[1],), 20.0), kept.append)
    assert "this machine was busy" in answer.advice
    assert any(note.startswith("this machine was busy: other programs kept") for note in answer.notes)
    assert answer.chosen is not None
    assert answer.chosen.threads == answer.baseline.setup.threads
    said = [one for one in kept if isinstance(one, Finding) and one.kind == "machine"]
    assert said[0].subject == "a busy machine, at the start"
    assert "--wait-quiet" not in str(said[0].hint)
