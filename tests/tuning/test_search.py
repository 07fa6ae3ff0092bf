"""The whole search on a small model in real workers: a fast wrong candidate, one that dies, a model that can't be had.

The budgets are generous and nothing is asserted of speed: engines that take long are kept out by a folder of their own.
"""

import json
from pathlib import Path

import pytest
from tests.conftest import Program

MINE = """
import torch
from torch import nn

def model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), (torch.ones(2, 8),)

def lonely():
    class Fixed(nn.Module):
        def forward(self, x):
            return x.view(2, 8) * 2
    return Fixed(), (torch.ones(2, 8),)
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "liar.py").write_text(LIAR)
    (tmp_path / "engines" / "kamikaze.py").write_text(KAMIKAZE)
    return tmp_path


def test_a_search_with_a_liar_and_a_kamikaze(program: Program, folder: Path) -> None:
    done = program(
        "tune",
        f"{folder}/mine.py:model",
        "--budget",
        "40",
        "--emit",
        str(folder / "tuned.py"),
        "--json",
        TORCHSTONE_ENGINES=str(folder / "engines"),
        TORCHSTONE_ONLY_ENGINES="eager,liar,kamikaze",
        OMP_NUM_THREADS="2",
    )
    assert done.returncode == 0, done.stderr[-800:]
    answer = json.loads(done.stdout)
    assert [one["setup"]["engine"] for one in answer["wrong"]] == ["liar"]
    assert "kamikaze" in [one["setup"]["engine"] for one in answer["lost"]]
    assert {one["setup"]["engine"] for one in answer["winners"]} == {"eager"}
    assert "def run():" in (folder / "tuned.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing.py:model",), "nothing.py"),
        (("mine.py",), "does not say which model"),
        (("mine.py:model", "--objective", "speed"), "speed"),
        (("mine.py:model", "--objective", "energy"), "no energy counter"),
        (("mine.py:model", "--tolerance", "nan"), "not between"),
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
