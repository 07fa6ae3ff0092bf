"""Every engine in the folder: its contract, right answers from each that is here, and code that runs by itself."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from torchstone import engines
from torchstone.backends import find_device
from torchstone.contests.answering import answering
from torchstone.contests.race import Ready
from torchstone.errors import UserError
from torchstone.models.placing import plain_setup
from torchstone.models.subject import load_subject
from torchstone.records import Setup

pytestmark = pytest.mark.filterwarnings("ignore")  # other people's deprecations
NAMES = engines.engine_names()


@pytest.fixture(autouse=True)
def in_one_thread(one_thread: None) -> None:
    pass


def setups_of(engine: str) -> tuple[Setup, ...]:
    subject, device = load_subject("convnet"), find_device("cpu")[1]
    return engines.load_engine(engine).setups(device, subject, plain_setup("cpu"))


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_keeps_the_contract(name: str) -> None:
    engine = engines.load_engine(name)
    assert engine.COST in (0, 1, 2)
    assert engine.explain_absence() is None
    assert all(setup.engine.partition(":")[0] == name for setup in setups_of(name))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "compile"])
def test_what_is_prepared_answers_rightly(name: str) -> None:
    subject = load_subject("convnet")
    for setup in setups_of(name):
        if setup.dtype == "bfloat16":
            continue  # ends the process on some machines; the probe of `bench` finds out
        ready = answering(subject, setup, 2).prepare()
        assert isinstance(ready, Ready), ready
        assert ready.check is not None
        assert ready.check(ready.call()) is None


def test_a_wrong_answer_is_told_and_a_persons_own_tolerance_counts() -> None:
    subject = load_subject("convnet")
    setup = plain_setup("cpu")
    ready = answering(subject, setup, 2).prepare()
    lenient = answering(subject, setup, 2, tolerance=1.0).prepare()
    assert isinstance(ready, Ready)
    assert isinstance(lenient, Ready)
    spoilt = ready.call() * 1.5
    assert ready.check is not None
    assert lenient.check is not None
    assert ready.check(spoilt) is not None
    assert lenient.check(spoilt) is None


def test_an_unknown_engine_and_an_unknown_variant() -> None:
    with pytest.raises(UserError, match="no engine 'warp'"):
        engines.load_engine("warp")
    why = engines.prepare(load_subject("convnet"), Setup(engine="compile:hard"), 1)
    assert isinstance(why, str)
    assert "no variant 'hard'" in why


def test_a_file_that_lacks_something_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text("COST = 0\n")
    code = "from torchstone import engines; engines.load_engine('half')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"TORCHSTONE_ENGINES": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "has no explain_absence, setups, prepare, emit" in done.stderr


MINE = """
import torch
from torch import nn

def model():
    torch.manual_seed(0)
    layers = nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5)
    return nn.Sequential(*layers).eval(), (torch.ones(2, 3, 8, 8),)
"""


@pytest.mark.parametrize(
    "setup",
    [
        Setup(dtype="float32", threads=1),
        Setup(dtype="float32", threads=1, memory_format="channels_last"),
        Setup(dtype="float64", precision="cast", threads=1),
        Setup(dtype="float32", engine="onnxruntime", threads=1),
        Setup(dtype="float32", engine="openvino", threads=1),
        Setup(dtype="float32", engine="torchao", precision="int8 weight-only", threads=1),
    ],
    ids=lambda setup: setup.key,
)
def test_the_code_runs_by_itself_and_gives_the_same(setup: Setup, tmp_path: Path) -> None:
    from torchstone.tuning.emitting import emit

    (tmp_path / "mine.py").write_text(MINE)
    code = emit(f"{tmp_path}/mine.py:model", setup, "words")
    probe = "\nfound = run()\nfound = found[0] if isinstance(found, (list, tuple)) else found\n"
    (tmp_path / "tuned.py").write_text(code + probe + "print(torch.as_tensor(found).double().sum().item())\n")
    done = subprocess.run([sys.executable, "tuned.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    namespace: dict[str, object] = {}
    exec(MINE, namespace)
    model, args = namespace["model"]()  # type: ignore[operator]
    with torch.inference_mode():
        wanted = model(*args).double().sum().item()
    assert float(done.stdout.splitlines()[-1]) == pytest.approx(wanted, rel=0.02, abs=0.02)


def test_a_training_step_as_code(tmp_path: Path) -> None:
    from torchstone.tuning.emitting import emit

    (tmp_path / "mine.py").write_text(MINE)
    setup = Setup(dtype="float32", threads=1, memory_format="channels_last", options=("fused optimizer",))
    code = emit(f"{tmp_path}/mine.py:model", setup, "words", train=True)
    (tmp_path / "tuned.py").write_text(code)
    done = subprocess.run([sys.executable, "tuned.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert "fused=True" in code
