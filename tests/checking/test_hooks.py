"""What hooks do on the way back is followed, and what they raise there is told with its line."""

from pathlib import Path

import pytest
import torch
from torch import nn

from torchstone.checking.answer import Answer
from torchstone.checking.building import build_of_model, build_of_target
from torchstone.checking.hooks import copied, hooks_of
from torchstone.checking.preflight import preflight
from torchstone.errors import UserError

pytestmark = pytest.mark.usefixtures("traces_are_forked")
MODELS = Path(__file__).with_name("hooks_to_check.py")


def foretell(name: str) -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), "mps", train=True)


def source_of(comment: str) -> str:
    lines = MODELS.read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}")]
    return f"{MODELS.name}:{found}"


@pytest.mark.parametrize(
    ("name", "subject", "comment"),
    [
        ("tensor_mixed", "aten::add.Tensor", "adds from the host"),
        ("tensor_read", "Tensor.numpy", "reads an array"),
        ("parameter_mixed", "aten::add.Tensor", "adds from the host"),
        ("parameter_read", "Tensor.numpy", "reads what is accumulated"),
        ("module_read", "Tensor.numpy", "reads of a module"),
    ],
)
def test_a_hook_that_fails_on_the_device_is_told_with_its_line(name: str, subject: str, comment: str) -> None:
    answer = foretell(name)
    (problem,) = answer.problems
    assert (answer.verdict, problem.verdict, problem.subject) == ("will_not_run", "will_not_run", subject)
    assert (problem.phase, problem.source.endswith(source_of(comment))) == ("backward", True)


@pytest.mark.parametrize("name", ["tensor_clamped", "parameter_itself", "held"])
def test_a_hook_that_runs_there(name: str) -> None:
    answer = foretell(name)
    assert (answer.verdict, answer.problems) == ("runs", ())


def test_a_hook_that_fails_everywhere_is_the_persons_to_mend() -> None:
    with pytest.raises(UserError, match="the hook is wrong") as caught:
        foretell("tensor_raises")
    assert source_of("raises") in str(caught.value)


def test_a_program_may_catch_what_a_hook_raises() -> None:
    assert any(one.subject == "aten::exp" for one in foretell("rescued").findings)


def _weight(model: nn.Module) -> torch.Tensor:
    return next(model.parameters())


def _hooked() -> nn.Linear:
    model = nn.Linear(4, 4)
    model.weight.register_hook(lambda gradient: gradient * torch.ones(4))  # type: ignore[no-untyped-call]
    return model


def test_a_model_that_travels_takes_its_hooks_along() -> None:
    build = build_of_model(_hooked(), (torch.ones(2, 4),), None, light=True)
    answer = preflight(build, "mps", train=True)
    assert (answer.verdict, answer.problems[0].subject) == ("will_not_run", "aten::mul.Tensor")


def test_a_copy_calls_the_same_hooks() -> None:
    model = _hooked()
    assert hooks_of(_weight(copied(model))) == hooks_of(model.weight)
    assert len(hooks_of(model.weight)[0]) == 1
    model.weight.requires_grad_(False)
    assert hooks_of(_weight(copied(model))) == ((), ())
