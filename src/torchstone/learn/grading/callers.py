"""Callers who have something to lose: gradients that have gathered, frozen weights, hooks, modes, a graph.

A function that promises to leave no trace is called by each of them; what must not change is compared by the guard
around every call (see `keeping.py`). What it returns is not looked at here.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from torchstone.learn.grading.answers import guard
from torchstone.learn.grading.checks import Failed
from torchstone.learn.grading.keeping import clone, find_form_change, module_form, pass_on
from torchstone.learn.verdicts import Failure


def expect_no_trace(function: Any, *args: Any) -> None:
    """Nothing of the caller's is changed, whoever calls: without gradients, with leaves, results, frozen weights."""
    call = guard(function)
    with torch.no_grad():
        _call_and_forgive(call, [_busy(clone(one)) for one in args])
    call(*[_busy(_leaf(clone(one))) for one in args])
    call(*[_busy(_result(clone(one))) for one in args])
    call(*[_busy(clone(one), frozen=True) for one in args])


@contextmanager
def only_values_change(module: nn.Module) -> Iterator[None]:
    """What happens inside may give the module other numbers, and nothing else: no mode, hook, flag or object."""
    before = module_form(module)
    yield
    change = find_form_change(before, module)
    if change is not None:
        raise Failed(
            Failure(message=f"more than the numbers of the module was changed: {change.what}", teach=change.teach)
        )


def _call_and_forgive(call: Callable[..., Any], args: list[Any]) -> None:
    """Where nothing is recorded it may well refuse to work; what it leaves behind counts all the same."""
    try:
        call(*args)
    except Failed:
        raise
    except Exception:  # the learner's own, which is allowed here
        return


def _leaf(value: Any) -> Any:
    """A leaf that has gathered a gradient."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        value.requires_grad_().grad = torch.ones_like(value)
    return value


def _result(value: Any) -> Any:
    """The result of a computation, which another loss needs."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.requires_grad_() * 1
    return value


def _busy(value: Any, frozen: bool = False) -> Any:
    """A module in the middle of something: every other part in evaluation, gradients gathered, a hook on each part."""
    if not isinstance(value, nn.Module):
        return value
    for number, part in enumerate(value.modules()):
        part.training = bool(number % 2) != frozen
        part.register_forward_hook(pass_on)
    for number, parameter in enumerate(value.parameters()):
        if frozen and number % 2 == 0:
            parameter.requires_grad_(False)
        elif parameter.is_floating_point():
            parameter.grad = torch.ones_like(parameter)
    return value
