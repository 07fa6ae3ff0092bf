"""What an operator leaves in its arguments is judged, too: what it should write, and what it should only read."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from torchstone import pretend
from torchstone.ops.catalog import all_operators
from torchstone.ops.judging import judge
from torchstone.ops.probes.bases import Base, all_bases
from torchstone.ops.probes.conditions import LOWERED, Point
from torchstone.ops.probes.judging import Prober
from torchstone.ops.probes.state import _repeat

DEVICE = torch.device("pretend")
PLAIN = Point(torch.float32)
Fault = Callable[[pretend.Call], Any]


@pytest.fixture(autouse=True)
def _pretend() -> None:
    pretend.install()


def spoil(number: int) -> Fault:
    """Right, beside an argument that is not what it should be."""

    def run(call: pretend.Call) -> Any:
        answer = call.right()
        call.args[number].mul_(1.2)
        return answer

    return run


def spoil_statistics(call: pretend.Call) -> Any:
    return spoil(4)(call) if call.args[5] else call.right()


def spoil_other_rows(call: pretend.Call) -> Any:
    """Those that are not looked up, so that the answer is right."""
    table, index = call.args[:2]
    others = torch.ones(len(table), dtype=torch.bool)
    others[index] = False
    table[others] *= 2
    return call.right()


def atlas_of(name: str, faults: dict[str, Fault]) -> dict[str, tuple[str, str]]:
    operator = next(one for one in all_operators() if one.name == name)
    with pretend.configure(faults=faults):
        found = list(judge(operator, torch.float32, "pretend", None))
    return {str(one.facts["direction"]): (one.verdict, one.evidence) for one in found}


def base(name: str) -> Base:
    return next(one for one in all_bases() if one.name == name)


def probed(name: str, point: Point, faults: dict[str, Fault]) -> str:
    with pretend.configure(faults=faults):
        return Prober(base(name), DEVICE, LOWERED).judge(point) or ""


def option(name: str, key: str) -> int:
    return next(number for number, one in enumerate(base(name).options) if key in one)


def test_statistics_that_training_writes_are_judged() -> None:
    verdict, reason = atlas_of("nn.functional.batch_norm", {"native_batch_norm": spoil_statistics})["forward"]
    assert verdict == "wrong"
    assert "what the call leaves in its tensor argument 2 is wrong" in reason


def test_the_probe_judges_them() -> None:
    training = Point(torch.float32, option=option("batch_norm", "training"))
    faults: dict[str, Fault] = {"native_batch_norm": spoil_statistics}
    assert "what the call leaves in its tensor argument 2" in probed("batch_norm", training, faults)
    assert probed("batch_norm", PLAIN, faults) == ""
    assert probed("batch_norm", training, {}) == ""


def test_so_is_a_table_that_is_renormed() -> None:
    renormed = Point(torch.float32, size=("m", 9), option=option("embedding", "max_norm"))
    assert "tensor argument 0 is wrong" in probed("embedding", renormed, {"embedding_renorm_": spoil_other_rows})


def test_an_argument_that_is_overwritten() -> None:
    found = atlas_of("neg", {"neg": spoil(0)})
    assert [verdict for verdict, _ in found.values()] == ["wrong", "wrong"]
    assert "the call overwrites its tensor argument 0, which it should only read" in found["forward"][1]
    assert "the call overwrites its incoming gradient 0" in found["backward"][1]
    assert "overwrites its tensor argument 0" in probed("neg", PLAIN, {"neg": spoil(0)})


def test_a_call_that_writes_is_repeated_with_arguments_of_its_own() -> None:
    writing = Base(
        "accumulate", lambda x, y: x.detach().add_(y), base("add").arguments, {"m": 3, "n": 2}, has_gradient=False
    )
    prober = Prober(writing, DEVICE, LOWERED)
    assert _repeat(prober, lambda: None) is None
    assert prober.refused == {}


def test_what_is_wrong_in_place_alone_is_told() -> None:
    def wrong(call: pretend.Call) -> Any:
        return call.right().add_(1)

    point = Point(torch.float32, way="in place into a view")
    assert probed("exp", point, {"exp_": wrong}) != ""
