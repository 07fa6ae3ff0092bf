"""The emitted code runs by itself, in a fresh process, and gives what the model gives: in every engine, any output."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from torchstone.models.inputs import tensors_in
from torchstone.models.subject import load_subject
from torchstone.records import Setup
from torchstone.tuning.emitting import emit

MINE = """
import dataclasses
import torch
from torch import nn

@dataclasses.dataclass
class Answer:
    logits: torch.Tensor
    note: object = None

class Picture(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5))
        self.kind = kind

    def forward(self, pictures, scale=None):
        found = self.body(pictures)
        found = found if scale is None else found * scale["by"]
        if self.kind == "dict":
            return {"logits": found, "none": None, "more": [found * 2]}
        return Answer(found) if self.kind == "dataclass" else found

def model():
    return Picture("tensor"), (torch.randn(2, 3, 8, 8),)

def mapped():
    return Picture("dict"), (torch.randn(2, 3, 8, 8),), {"scale": {"by": torch.tensor(3.0)}}

def classed():
    return Picture("dataclass"), (torch.randn(2, 3, 8, 8),)

def loaded():
    pairs = torch.utils.data.TensorDataset(torch.randn(6, 3, 8, 8), torch.zeros(6))
    return Picture("tensor"), torch.utils.data.DataLoader(pairs, batch_size=2)
"""
PLAIN = Setup(dtype="float32", threads=1)
ANSWERING = [
    ("model", PLAIN),
    ("model", Setup(dtype="float32", threads=1, memory_format="channels_last")),
    ("mapped", Setup(dtype="float64", precision="cast", threads=1)),
    ("mapped", Setup(dtype="float32", precision="tf32", threads=1)),
    ("mapped", Setup(dtype="float32", engine="onnxruntime", threads=1)),
    ("classed", Setup(dtype="float32", engine="onnxruntime:parallel", threads=2)),
    ("mapped", Setup(dtype="float32", engine="openvino", threads=1)),
    ("classed", Setup(dtype="float32", engine="openvino", threads=1)),
    ("model", Setup(dtype="float32", engine="torchao", precision="int8 weight-only", threads=1)),
    ("loaded", PLAIN),
]
STEPS: list[tuple[str, ...]] = [
    ("fused optimizer",),
    ("checkpointing", "fused optimizer"),
    ("accumulation×2",),
]
SUM = """
import json, sys, runpy, warnings
warnings.simplefilter("ignore")
import torch
from torch.utils._pytree import tree_leaves
for path in sys.argv[1:]:
    run = runpy.run_path(path)["run"]
    for _ in range(2):
        output = run()
    output = vars(output) if hasattr(output, "logits") else output
    values = [float(value.double().sum()) for value in tree_leaves(output) if isinstance(value, torch.Tensor)]
    print("SUMS", json.dumps([type(output).__name__, values]))
"""


def run_all(folder: Path, codes: list[str]) -> list[tuple[str, list[float]]]:
    """All files in one fresh process; of each the form of its output, and the sum of every tensor in it."""
    for number, code in enumerate(codes):
        (folder / f"tuned{number}.py").write_text(code)
    (folder / "sums.py").write_text(SUM)
    files = [f"tuned{number}.py" for number in range(len(codes))]
    done = subprocess.run([sys.executable, "sums.py", *files], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-800:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("SUMS")]
    return [tuple(json.loads(line.removeprefix("SUMS"))) for line in lines]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_every_engine_gives_what_the_model_gives_in_the_models_own_form(folder: Path) -> None:
    found = run_all(
        folder, [emit(f"{folder}/mine.py:{name}", setup, has_loader=name == "loaded") for name, setup in ANSWERING]
    )
    for (name, setup), (form, sums) in zip(ANSWERING, found, strict=True):
        subject = load_subject(f"{folder}/mine.py:{name}")
        with torch.inference_mode():
            output = subject.model(*subject.examples.args, **subject.examples.kwargs)
        wanted = [float(part.double().sum()) for part in tensors_in(output)]
        assert sums == pytest.approx(wanted, rel=0.02, abs=0.02), setup.key
        assert (form == "dict") == (name in ("mapped", "classed")), setup.key


def test_a_training_step_of_every_option(folder: Path) -> None:
    setups = [Setup(dtype="float32", threads=1, options=options) for options in STEPS]
    found = run_all(folder, [emit(f"{folder}/mine.py:model", setup, train=True) for setup in setups])
    losses = [sums[0] for _, sums in found]
    assert losses[1] == pytest.approx(losses[0], rel=1e-3), "the second step's loss: checkpointing changes nothing"
    assert all(loss > 0 for loss in losses)


def test_a_larger_batch_our_own_models_and_one_that_is_there_already(folder: Path) -> None:
    grown = Setup(dtype="float32", threads=1, options=("batch×4",))
    given = "import torch\nmodel, args, kwargs = torch.nn.Linear(2, 2), (torch.ones(1, 2),), {}\n"
    codes = [
        emit(f"{folder}/mine.py:model", PLAIN),
        emit(f"{folder}/mine.py:model", grown),
        emit("convnet", PLAIN),
        emit("convnet", PLAIN, train=True),
        given + emit(None, PLAIN),
    ]
    found = run_all(folder, codes)
    assert found[1][1][0] == pytest.approx(4 * found[0][1][0], rel=1e-3)
    assert len(found) == len(codes)


def test_an_input_of_a_given_shape(folder: Path) -> None:
    (folder / "plain.py").write_text("import torch\nnet = torch.nn.Linear(4, 2)\n")
    code = emit(f"{folder}/plain.py:net", PLAIN, input_shape="3x4")
    subject = load_subject(f"{folder}/plain.py:net", "3x4")
    with torch.inference_mode():
        wanted = subject.model(*subject.examples.args).double().sum().item()
    assert run_all(folder, [code])[0][1] == pytest.approx([wanted], rel=1e-4)
