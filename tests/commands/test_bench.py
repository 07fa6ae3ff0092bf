"""`torchstone bench` as a person would run it, on small models of their own."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Program

from torchstone.store import read_run

MODEL = """
import torch

def small():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 5))
    return net.eval(), (torch.randn(2, 3, 8, 8),)
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(MODEL)
    return f"{path}:small"


def test_list_and_explain(program: Program) -> None:
    listed = program("bench", "--list")
    assert listed.returncode == 0
    for name in ("images", "inference", "training", "transfer", "leak", "load"):
        assert name in listed.stdout
    explained = program("bench", "transfer", "--help")
    assert explained.returncode == 0
    assert "host to device" in explained.stdout
    assert "--budget" in explained.stdout


def test_help_does_not_import_torch(program: Program) -> None:
    code = "import sys; from torchstone.cli import run; run(['bench', '--list']); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_persons_own_model_on_the_pretend_device(program: Program, model: str) -> None:
    done = program("bench", "inference", "--device", "pretend", "--model", model, "--budget", "30", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["schema"], answer["content"]["schema"]) == ("torchstone/1", "torchstone/2")
    run = read_run(answer["run"])
    assert {device.id for device in run.devices} == {"cpu", "pretend:0"}
    timed = [one for one in run.measurements if one.status == "ok" and one.unit == "s"]
    assert {one.setup.device for one in timed} == {"cpu", "pretend:0"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "no experiment 'nothing'"),
        (["inference", "--device", "tpu9"], "no device 'tpu9'"),
        (["inference", "--budget", "0"], "0 seconds cannot be"),
        (["inference", "--model", "missing.py:name"], "missing.py"),
        (["transfer", "--data", "somewhere"], "--data means nothing to transfer"),
        (["load", "--latency-bound", "abc"], "is not a number of seconds"),
    ],
)
def test_misuse_is_a_sentence(program: Program, arguments: list[str], words: str) -> None:
    done = program("bench", *arguments, *([] if "--budget" in arguments else ["--budget", "5"]))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-2].startswith("error: ")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = [sys.executable, "-m", "torchstone", "bench", "transfer", "--budget", "600", "--runs", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
        assert bench.stderr is not None
        first = bench.stderr.readline()
        bench.send_signal(signal.SIGINT)
        output, errors = bench.communicate(timeout=60)
    assert bench.returncode == 130, errors
    assert "transfer/" in first
    (path,) = runs.glob("*.jsonl")
    assert read_run(str(path)).measurements
    assert str(path) in output.replace("\n", "")
