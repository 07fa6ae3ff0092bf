"""A model given from Python, in whatever way it is made, is checked like one that a TARGET builds."""

import threading
import warnings
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations

from torchstone.checking.building import build_of_model
from torchstone.checking.preflight import preflight
from torchstone.checking.travelling import pack, unpack
from torchstone.errors import UserError
from torchstone.models.inputs import Inputs

GIVEN = Inputs((torch.ones(2, 4),), {})


def parametrized() -> nn.Module:
    return nn.Sequential(
        parametrizations.weight_norm(nn.Linear(4, 4)), parametrizations.spectral_norm(nn.Linear(4, 2))
    ).eval()


def normed() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return nn.Sequential(nn.utils.weight_norm(nn.Linear(4, 2)))


def keeping() -> nn.Module:
    """Its hook holds the model, which reads what the hook has kept."""

    class Keeping(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.kept = nn.Linear(4, 4), {}  # type: ignore[var-annotated]
            self.inner.register_forward_hook(lambda module, given, result: self.kept.update(found=result))

        def forward(self, x: Tensor) -> Tensor:
            found: Tensor = self.inner(x) + self.kept["found"].mean()
            return found

    return Keeping()


@pytest.mark.parametrize("make", [parametrized, normed, keeping])
@pytest.mark.parametrize("light", [False, True])
def test_a_model_is_the_same_there(make: Any, light: bool) -> None:
    model = make()
    there, given = unpack(pack(model, GIVEN, light=light))
    names = [(name, one.shape) for name, one in model.named_parameters()]
    assert [(name, one.shape) for name, one in there.named_parameters()] == names
    assert all(one.is_meta == light for one in there.parameters())
    if not light:
        assert torch.equal(there(*given.args), model(*given.args))


@pytest.mark.parametrize("make", [parametrized, normed, keeping])
@pytest.mark.usefixtures("traces_are_forked")
def test_it_is_followed_there(make: Any) -> None:
    answer = preflight(build_of_model(make(), GIVEN.args, None, light=True), "mps", train=True)
    assert (answer.verdict, answer.problems) == ("runs", ())


def test_what_cannot_travel_is_a_sentence() -> None:
    model = nn.Linear(4, 4)
    model.lock = threading.Lock()  # type: ignore[assignment]
    with pytest.raises(UserError, match="cannot be sent to a process of its own: TypeError") as caught:
        build_of_model(model, GIVEN.args, None, light=True)
    assert "name a function that builds it" in caught.value.hint
