"""The learner's file as a check sees it: its functions, guarded.

A guarded call keeps copies of the arguments to show and to compare, notes forbidden torch functions, and fails where
the learner's code changed what it was given. Exceptions pass through: the judge turns them into words.
"""

import copy
import difflib
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from torchstone.learn.grading.checks import Failed, fail
from torchstone.learn.grading.forbidding import watch_for
from torchstone.learn.grading.session import Call, session
from torchstone.learn.grading.showing import show, show_call
from torchstone.learn.verdicts import Failure, Place

# Taken now: the learner's file is imported later and may replace them.
equal = torch.equal
isnan = torch.isnan
nan_to_num = torch.nan_to_num


class Answer:
    """The learner's file: `answer.name` is its function or class `name`, guarded."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        try:
            value = vars(self._module)[name]
        except KeyError:
            fail(f"your file has no {name!r} any more", teach=_missing_hint(name, self._module))
        return Guarded(value, name) if callable(value) else value


class Guarded:
    """A callable of the learner's whose arguments are watched."""

    def __init__(self, function: Callable[..., Any], name: str | None = None, may_change: bool = False) -> None:
        self.function = function
        self.__name__ = name or getattr(function, "__name__", None) or type(function).__name__
        self.may_change = may_change

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        copies = clone((args, kwargs))
        kept = named_arguments(self.function, copies)
        _remember(Call(self.__name__, kept, *copies))
        with watch_for(session.forbidden) as found:
            result = self.function(*args, **kwargs)
        expect_allowed(found, self.__name__)
        if not self.may_change:
            self._expect_unchanged(kept, named_arguments(self.function, (args, kwargs)))
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def _expect_unchanged(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        for label in before:
            if not same_values(before[label], after[label]):
                raise Failed(_changed(self.__name__, label, before[label], after[label]))


def guard(function: Any, name: str | None = None) -> Guarded:
    """Guard any callable of the learner's, such as a module that `answer.Net()` returned."""
    return function if isinstance(function, Guarded) else Guarded(function, name)


def in_place(function: Any) -> Guarded:
    """The same callable, allowed to change its arguments."""
    return Guarded(guard(function).function, guard(function).__name__, may_change=True)


def raw(function: Any) -> Any:
    """The learner's callable without its guard: for timing and for counting."""
    return function.function if isinstance(function, Guarded) else function


def expect_allowed(found: Mapping[str, Place | None], caller: str) -> None:
    """Fail where a forbidden torch function or op was used."""
    for name, place in found.items():
        message = f"{caller} calls torch's {name.removeprefix('torch.')}, which this exercise rules out"
        raise Failed(Failure(message=message, place=place, teach=session.forbidden[name]))


def named_arguments(function: Callable[..., Any], arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> dict[str, Any]:
    """Arguments by the learner's own parameter names, as far as they can be told."""
    args, kwargs = arguments
    try:
        return dict(signature_of(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {f"argument {position}": value for position, value in enumerate(args, 1)} | kwargs


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """That of a module is its forward's: `__call__` takes anything."""
    if isinstance(function, torch.nn.Module):
        return inspect.signature(function.forward)  # not kept: that would keep the module, and its memory, alive
    return _signature(function)


@lru_cache(maxsize=64)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def clone(value: Any, device: torch.device | None = None) -> Any:
    """A copy that shares nothing with the original, on another device if one is given."""
    if type(value) in (list, tuple):
        return type(value)(clone(item, device) for item in value)
    if type(value) is dict:
        return {key: clone(item, device) for key, item in value.items()}
    if isinstance(value, torch.nn.Module):
        module = copy.deepcopy(value)
        return module if device is None else module.to(device)
    if isinstance(value, torch.Tensor):
        tensor = value.detach().clone()
        return tensor if device is None else tensor.to(device)
    return value


def same_values(a: Any, b: Any) -> bool:
    """Whether two values agree to the last bit, NaN with NaN."""
    pairs = zip(tree_leaves(a), tree_leaves(b), strict=False)
    return all(_same_leaf(one, other) for one, other in pairs if isinstance(one, torch.Tensor))


def _same_leaf(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.layout is not torch.strided or equal(a, b):
        return True
    if not (a.is_floating_point() or a.is_complex()):
        return False
    return equal(isnan(a), isnan(b)) and equal(nan_to_num(a), nan_to_num(b))


def _remember(call: Call) -> None:
    session.last_call = call
    if session.calls is not None:
        session.calls.append(call)


def _changed(function: str, label: str, before: Any, after: Any) -> Failure:
    return Failure(
        message=f"{function} changed its argument {label!r}",
        inputs=show_call({f"{label} before": before}),
        got=show(f"{label} after", after),
        teach="The caller still needs what it handed in: work on new tensors, and look for methods that end in _.",
    )


def _missing_hint(name: str, module: ModuleType) -> str:
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    near = difflib.get_close_matches(name, own, n=1) or own[:1]
    renamed = f"Was it renamed to {near[0]!r}? " if near else ""
    return f"{renamed}The checks look it up by its name: keep the name and the parameters of the starter."
