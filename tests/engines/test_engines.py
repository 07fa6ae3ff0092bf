"""Every engine in the folder: its contract, right answers from each that is here, and code that runs by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from torchstone import engines
from torchstone.backends import find_device
from torchstone.contests.answering import answering
from torchstone.contests.race import Ready
from torchstone.errors import UserError
from torchstone.models.inputs import Inputs
from torchstone.models.placing import plain_setup
from torchstone.models.subject import load_subject, own_subject
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


class Peeking(nn.Module):
    """Looks at a value: nobody can export that."""

    def forward(self, x: Tensor) -> Tensor:
        return x * [1, 2].index(int(x.sum()))


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_an_export_that_fails_is_told_with_the_engine_the_step_and_the_cause(name: str) -> None:
    subject = own_subject(Peeking(), Inputs((torch.ones(1, 2),), {}), "peeking")
    why = engines.prepare(subject, Setup(engine=name), 1)
    assert isinstance(why, str)
    assert re.match(rf"{name}: the export failed: \w+: .", why)
    assert "step 1/3" not in why


def test_a_step_is_named_with_its_first_cause_and_memory_stays_memory() -> None:
    with pytest.raises(engines.StepError) as told, engines.naming("the export"):
        raise RuntimeError("this is step 2/3") from ValueError("3 is not in list")
    assert str(told.value) == "the export failed: ValueError: 3 is not in list"
    with pytest.raises(MemoryError), engines.naming("the export"):
        raise MemoryError


def test_a_choice_that_names_no_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engines.ONLY_VARIABLE, "nosuch")
    with pytest.raises(UserError, match="names no engine: 'nosuch'") as caught:
        engines.engine_names()
    assert "eager" in caught.value.hint
