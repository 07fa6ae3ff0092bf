"""Where a trace ends, the CPU tells whether the model or the trace is at fault."""

from pathlib import Path

import pytest
import torch
from torch import nn

from torchstone.checking import confirming
from torchstone.checking.building import build_of_model, build_of_target
from torchstone.checking.confirming import CANNOT_TRACE, CPU_LACKS, NEEDS_DEVICE, HostRun, confirm, run_on_host
from torchstone.checking.preflight import preflight
from torchstone.checking.stages import CANNOT_FOLLOW, FAILS_HERE, check_target
from torchstone.checking.trace import Place, Stop
from torchstone.errors import UserError
from torchstone.processes import Outcome

MODELS = Path(__file__).with_name("models_to_check.py")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (nn.Bilinear(4, 4, 4), "missing 1 required positional argument"),
        (nn.Sequential(nn.Linear(3, 4)), "shapes cannot be multiplied"),
    ],
)
def test_a_model_that_cannot_be_called_is_a_mistake_of_the_person(model: nn.Module, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        preflight(build_of_model(model, (torch.ones(2, 4),), None, light=True), "mps")
    assert "the inputs that it takes" in (caught.value.hint or "")


def test_what_cannot_be_traced_is_not_the_models_fault() -> None:
    answer = preflight(build_of_target(f"{MODELS}:packs", None), "mps")
    assert answer.verdict == "unknown"
    assert any(one.hint == CANNOT_TRACE for one in answer.problems)


def test_what_needs_the_device_itself_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as pinned memory, which a machine without an accelerator refuses."""
    words = "RuntimeError: Cannot access accelerator device when none is available."
    outcome = Outcome(ended="returned", value=HostRun(words, "mine.py:1"))
    monkeypatch.setattr(confirming, "run_spawned", lambda *args, **kwargs: outcome)
    stop = Stop(kind="AssertionError", message="NYI", place=Place(source="mine.py:1"))
    assert confirm(stop, build_of_target("mine.py:make", None), 0).hint == NEEDS_DEVICE


@pytest.mark.parametrize(("model", "hint"), [("keeps_compressed", CANNOT_FOLLOW), ("wants_two_inputs", FAILS_HERE)])
def test_what_cannot_be_followed_on_a_device_that_is_here_is_not_the_models_fault(model: str, hint: str) -> None:
    """torch cannot copy a compressed sparse tensor, so there is nothing to set beside the device's answer."""
    (problem,) = check_target(f"{MODELS}:{model}", "cpu", stage="parity").problems
    assert (problem.verdict, problem.hint) == ("unknown", hint)


def test_a_step_is_tried_as_it_runs_and_told_without_internals() -> None:
    """FlexAttention runs on the CPU forward only, which is no fault of another device."""
    hints = [
        preflight(build_of_target(f"{MODELS}:flexible", None), "cuda", train=train).problems[0]
        for train in (False, True)
    ]
    assert [one.hint for one in hints] == [CANNOT_TRACE, CPU_LACKS]
    assert not any(" object at 0x" in one.reason or "torchstone" in one.reason for one in hints)


def test_weights_without_data_are_drawn() -> None:
    """And those of a recurrent layer, which keeps them twice."""
    build = build_of_model(nn.Sequential(nn.LSTM(4, 4)), (torch.ones(2, 1, 4),), None, light=True)
    assert run_on_host(build).error == ""


def test_a_heavy_model_is_not_tried() -> None:
    stop = Stop(kind="RuntimeError", message="?", place=Place())
    assert confirm(stop, build_of_model(nn.Bilinear(4, 4, 4), (), None, light=True), 1 << 30) is stop
