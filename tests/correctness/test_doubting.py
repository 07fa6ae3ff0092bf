"""Before an output is called wrong: could an honest computer have given it?"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchstone.correctness import Judgement, Reference
from torchstone.models.inputs import Inputs

TIED = torch.tensor([[3.0, 1.0, 3.0, 2.0], [0.0, 5.0, 1.0, 5.0]])


class Calling(nn.Module):
    def __init__(self, call: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.call = call

    def forward(self, x: Tensor) -> Any:
        return self.call(x)


class WarmingUp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * (3 if self.calls > 3 else 1)


def judged(model: nn.Module | Callable[[Tensor], Any], x: Tensor, output: Any) -> Judgement:
    model = model if isinstance(model, nn.Module) else Calling(model)
    return Reference(model, Inputs((x,), {})).judge().check(output)


@pytest.mark.parametrize(
    ("call", "output"),
    [
        (lambda x: x.argmax(1), torch.tensor([2, 3])),
        (lambda x: x.argsort(1), TIED.flip(1).argsort(1).mul(-1).add(3)),
        (lambda x: x.max(1).indices, torch.tensor([2, 3])),
        (lambda x: x.topk(1).indices, torch.tensor([[2], [3]])),
        (lambda x: x.argmax(), torch.tensor(7)),
    ],
    ids=["argmax", "argsort", "max", "topk", "argmax of all"],
)
def test_ties_may_fall_the_other_way(call: Callable[[Tensor], Any], output: Tensor) -> None:
    found = judged(call, TIED, output)
    assert found.verdict == "unverified"
    assert "which of equal values comes first" in str(found.reason)


def test_many_more_differences_than_ties_are_wrong() -> None:
    many = torch.arange(64.0).repeat(8, 1)
    many[0, 62] = 63.0
    assert judged(lambda x: x.argmax(1), many, torch.zeros(8, dtype=torch.long)).verdict == "wrong"


def test_decompositions_have_a_free_sign() -> None:
    square = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    values, vectors = torch.linalg.eigh(square)
    opposite = judged(lambda x: tuple(torch.linalg.eigh(x)), square, (values, -vectors))
    assert opposite.verdict == "unverified"
    assert "sign of a decomposition" in str(opposite.reason)
    assert judged(lambda x: tuple(torch.linalg.eigh(x)), square, (values, vectors * 20)).verdict == "wrong"


def test_integers_that_rounding_decides() -> None:
    x = torch.linspace(0.4, 0.6, 4001)[None]
    near, far = x > 0.4998, x > 0.55
    assert judged(lambda x: x > 0.5, x, near).verdict == "unverified"
    assert judged(lambda x: x > 0.5, x, far).verdict == "wrong"


def test_another_dtype_is_no_matter_of_rounding() -> None:
    assert judged(lambda x: x.argmax(1), TIED, torch.tensor([2.0, 3.0])).verdict == "wrong"
    assert judged(lambda x: x.sort(1).indices, TIED, None).verdict == "wrong"


def test_a_shape_that_rounding_decides() -> None:
    x = torch.full((64,), 1.0) + torch.linspace(-1e-5, 1e-5, 64)
    assert judged(lambda x: x[x > 1], x, torch.ones(31)).verdict == "unverified"
    assert judged(lambda x: x[x > 0], x, torch.ones(31)).verdict == "wrong"


def test_an_answer_that_changes_late() -> None:
    found = judged(WarmingUp(), torch.ones(4), torch.full((4,), 3.0))
    assert found.verdict == "unverified"
    assert "later calls" in str(found.reason)


def test_the_smallest_numbers_may_be_flushed_to_zero() -> None:
    x = torch.ones(4)
    assert judged(lambda x: x * 1e-41, x, torch.zeros(4)).verdict == "ok"
    assert judged(lambda x: x * 1e-30, x, torch.zeros(4)).verdict == "wrong"


def test_who_is_right_is_not_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other answers cost runs of the model: they are asked for only where something would be called wrong."""
    asked: list[str] = []

    def ask(self: Reference, dtype: str) -> dict[str, Any]:
        asked.append(dtype)
        return {}

    monkeypatch.setattr(Reference, "_answers_of_others", ask)
    assert judged(lambda x: x * 2, TIED, TIED * 2).verdict == "ok"
    assert asked == []
    assert judged(lambda x: x * 2, TIED, TIED * 3).verdict == "wrong"
    assert asked == ["float32"]
