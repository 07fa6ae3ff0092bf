"""The GitHub Action's own script, run as a runner would run it, in a small project on Linux."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ACTION = Path(__file__).parents[2] / "action.yml"
MODEL = """
import torch

class Spectrum(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.eig(x).eigenvalues.abs()

def spectrum():
    return Spectrum(), (torch.eye(3),)

def plain():
    return torch.nn.Linear(3, 3), (torch.ones(1, 3),)
"""


def script() -> str:
    """Of the step that checks: the last one."""
    return textwrap.dedent(ACTION.read_text(encoding="utf-8").rpartition("run: |\n")[2])


@pytest.mark.parametrize(
    ("target", "code", "verdict", "words"),
    [("model.py:spectrum", 1, "will_not_run", "model.py:6"), ("model.py:plain", 0, "runs", "on mps: runs")],
)
def test_the_step_of_a_runner(target: str, code: int, verdict: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    output = tmp_path / "output"
    given = {"PYTHON": sys.executable, "TARGET": target, "DEVICE": "mps", "TRAIN": "false", "STRICT": "false"}
    variables = {**os.environ, **given, "SHAPE": "", "GITHUB_OUTPUT": str(output)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()]
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert words in done.stdout
    assert output.read_text() == f"verdict={verdict}\n"
