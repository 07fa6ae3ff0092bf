"""The plugin in a small project of its own: the test of a model that would break on a Mac fails with its line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.checking.pytest_plugin import explain, runs_on

MODEL = """
import torch

class Spectrum(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.eig(x).eigenvalues.abs()
"""
TESTS = """
import torch
from model import Spectrum
from torchstone.checking.pytest_plugin import runs_on

def test_plain(runs_on):
    assert runs_on(torch.nn.Linear(3, 3), torch.ones(1, 3), device="mps").verdict == "runs"

def test_spectrum():
    runs_on(Spectrum(), (torch.eye(3),), device="mps", train=False)
"""


def test_a_project_on_linux_is_told_the_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "test_model.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "torchstone.checking.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "model.py:6" in done.stdout
    assert "aten::linalg_eig" in done.stdout


def test_the_words_of_a_failure() -> None:
    from torchstone.checking.answer import Answer, CheckFinding

    finding = CheckFinding(subject="aten::x", verdict="will_not_run", tier="yaml", source="a.py:3", hint="do y")
    answer = Answer(verdict="will_not_run", device="mps", stage="preflight", findings=(finding,))
    assert "a.py:3 (forward): aten::x: will_not_run" in explain(answer)


def test_what_cannot_be_checked_is_a_sentence() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"is not a torch.nn.Module\n  give the model") as caught:
        runs_on(abs, (1,))
    assert not caught.value.pytrace
