"""Whatever a model is made of or raises, a check of it ends in a verdict or in a sentence."""

from pathlib import Path

import pytest
import torch
from torch import nn

from torchstone.checking import preflight as room
from torchstone.checking.answer import Answer
from torchstone.checking.building import build_of_model, build_of_target
from torchstone.checking.preflight import preflight
from torchstone.checking.trace import Place
from torchstone.errors import UserError
from torchstone.processes import Outcome

pytestmark = pytest.mark.usefixtures("traces_are_forked")
MODELS = Path(__file__).with_name("strange_to_check.py")


def foretell(name: str, train: bool = False) -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), "mps", train=train)


@pytest.mark.parametrize("train", [False, True])
def test_a_lazy_model_is_as_one_whose_sizes_are_given(train: bool) -> None:
    lazy, sized = foretell("lazy", train), foretell("sized", train)
    assert (lazy.verdict, lazy.problems) == ("runs", ())
    assert lazy.peak_memory_bytes == sized.peak_memory_bytes
    assert {(one.subject, one.phase) for one in lazy.findings} == {(one.subject, one.phase) for one in sized.findings}


@pytest.mark.parametrize("train", [False, True])
def test_a_lazy_layer_that_is_never_called_has_no_size(train: bool) -> None:
    assert foretell("uncalled", train).verdict == "runs"


def test_a_lazy_model_travels() -> None:

    build = build_of_model(nn.Sequential(nn.LazyLinear(3)), (torch.ones(1, 2),), None, light=True)
    assert preflight(build, "mps").verdict == "runs"


def test_an_exported_program_is_judged_in_its_own_mode() -> None:
    answer = foretell("exported")
    assert answer.verdict == "runs"
    assert any("which it refuses to change" in note for note in answer.notes)


def test_a_model_that_interrupts_itself_fails_everywhere() -> None:
    with pytest.raises(UserError, match=r"fails on the CPU, too.*KeyboardInterrupt"):
        foretell("interrupted")


def test_a_failure_of_our_own_is_a_verdict_that_says_so() -> None:
    trace = room._taken(Outcome(ended="raised", detail="a broken torch"), Place())
    assert trace.stop is not None
    assert trace.stop.message == "torchstone failed: a broken torch"
