"""The truth about the models that meet a planted fault: right without it, and with it wrong where it is said."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import plants
import torchstone.pretend as pretend
from planted_models import MODELS, PlantedModel
from plants.planting import DEVICE, collect

TOLERANCE = 4e-3


def agree(first: Any, second: Any) -> bool:
    """To what 16 bits within a model can explain, relative to the largest number: the faults are far larger."""
    return all(map(_are_close, collect(first), collect(second)))


def _are_close(expected: torch.Tensor, got: torch.Tensor) -> bool:
    scale = expected.float().abs().max().item()
    return torch.allclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True)


def run(planted: PlantedModel, device: str, see: Callable[[str, Any, Any], None]) -> dict[str, torch.Tensor]:
    """Run a model, show what goes into and out of every module, and give the gradients by parameter."""
    model, args = planted.build()
    model.to(device)
    for name, module in model.named_modules():
        module.register_forward_hook(lambda _, inputs, output, name=name: see(name, collect(inputs), collect(output)))
    result = model(*(argument.to(device) for argument in args))
    torch.autograd.backward(result.square().mean())
    return {name: parameter.grad.cpu() for name, parameter in model.named_parameters() if parameter.grad is not None}


def record(planted: PlantedModel, device: str) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    seen: dict[str, Any] = {}
    gradients = run(planted, device, lambda name, inputs, output: seen.update({name: (inputs, output)}))
    return seen, gradients


def wrong_modules(planted: PlantedModel) -> tuple[list[str], list[str]]:
    """The modules that turn right inputs into wrong outputs, and the parameters with wrong gradients."""
    expected, expected_gradients = record(planted, "cpu")
    got, gradients = record(planted, DEVICE)
    guilty = [
        name
        for name, (inputs, output) in expected.items()
        if agree(inputs, got[name][0]) and not agree(output, got[name][1])
    ]
    return guilty, [name for name, grad in expected_gradients.items() if not agree(grad, gradients[name])]


def innermost(names: list[str]) -> list[str]:
    inside = {name: f"{name}." if name else "" for name in names}
    return [name for name in names if not any(other != name and other.startswith(inside[name]) for other in names)]


@pytest.mark.parametrize("planted", MODELS, ids=lambda planted: planted.name)
def test_a_model_is_wrong_where_it_is_said(planted: PlantedModel) -> None:
    fault = plants.find(planted.plant)
    pretend.install()
    with fault.unplanted():
        assert wrong_modules(planted) == ([], [])
    with fault.planted():
        guilty, gradients = wrong_modules(planted)
    if planted.train:
        assert not guilty
        assert {name.rpartition(".")[0] for name in gradients} == {planted.module}
    else:
        assert innermost(guilty) == [planted.module]


@pytest.mark.parametrize("planted", MODELS, ids=lambda planted: planted.name)
def test_the_line_stands_in_the_module(planted: PlantedModel) -> None:
    model: nn.Module = planted.build()[0]
    lines, first = inspect.getsourcelines(type(model.get_submodule(planted.module)).forward)
    assert first < planted.line < first + len(lines)
    names = plants.find(planted.plant).aten
    assert any(planted.aten == name or planted.aten.startswith(name + ".") for name in names)


def test_there_are_enough_of_many_classes() -> None:
    assert len({planted.plant for planted in MODELS}) == len(MODELS) >= 14
    assert len(set("".join(plants.find(planted.plant).classes for planted in MODELS))) >= 12
