"""Hooks on parameters, which a copy of a parameter lacks and `model.to(device)` keeps; and hooks that fail on the way
back.

torch asks a device written in Python for its streams while a failed hook is being told, and ends the process over it.
So no hook may fail there: what it raises is kept, and raised once autograd's engine has returned.
"""

import contextlib
import copy
from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import Any

from torch import Tensor, nn
from torch.nn.modules import module as global_hooks

REGISTERING = (Tensor.register_hook, Tensor.register_post_accumulate_grad_hook)
OF_MODULES = ("_backward_hooks", "_backward_pre_hooks")
OF_ALL_MODULES = ("_global_backward_hooks", "_global_backward_pre_hooks")
Hooks = tuple[tuple[Callable[..., Any], ...], tuple[Callable[..., Any], ...]]
"""Of one parameter: those on its gradient, and those that run once that is accumulated."""


def hooks_of(parameter: Tensor) -> Hooks:
    """In the order in which they were registered."""
    accumulated = getattr(parameter, "_post_accumulate_grad_hooks", None)
    return tuple((parameter._backward_hooks or {}).values()), tuple((accumulated or {}).values())


def register(parameter: Tensor, hooks: Hooks) -> None:
    """Have another parameter call them, too; one that is not learnt calls none."""
    if not parameter.requires_grad:
        return
    for hook in hooks[0]:
        parameter.register_hook(hook)  # type: ignore[no-untyped-call]
    for hook in hooks[1]:
        parameter.register_post_accumulate_grad_hook(hook)  # type: ignore[no-untyped-call]


def hooks_by_name(model: nn.Module) -> dict[str, Hooks]:
    """Of the parameters that have some."""
    found = {name: hooks_of(parameter) for name, parameter in model.named_parameters()}
    return {name: hooks for name, hooks in found.items() if any(hooks)}


def register_by_name(model: nn.Module, hooks: dict[str, Hooks]) -> None:
    """Give a copy of a model the hooks of the parameters that it was copied from."""
    for name, parameter in model.named_parameters():
        register(parameter, hooks.get(name, ((), ())))


def copied(model: nn.Module) -> nn.Module:
    """A deep copy that calls the same hooks."""
    made = copy.deepcopy(model)
    register_by_name(made, hooks_by_name(model))
    return made


class Failures:
    """What hooks raised, by each pass that goes back now: another may begin within one."""

    def __init__(self) -> None:
        self._found: list[list[BaseException]] = []

    @contextlib.contextmanager
    def raised_after(self) -> Iterator[None]:
        """Around autograd's engine: the first failure is raised when it has returned; the rest of the pass would not
        have run."""
        self._found.append([])
        try:
            yield
        finally:
            found = self._found.pop()
            if found:
                raise found[0]

    def keep(self, error: BaseException) -> None:
        """Outside of any pass it is raised at once."""
        if not self._found:
            raise error
        self._found[-1].append(error)

    @property
    def has_failed(self) -> bool:
        """Whether the pass that began last goes on for nothing."""
        return bool(self._found and self._found[-1])


class Careful:
    """A hook that keeps what it raises, and does nothing once another has failed."""

    def __init__(self, hook: Callable[..., Any], failures: Failures) -> None:
        update_wrapper(self, hook)
        self._hook, self._failures = hook, failures

    def __call__(self, *given: Any) -> Any:
        if self._failures.has_failed:
            return None
        try:
            return self._hook(*given)
        except BaseException as error:  # somebody else's hook may raise anything
            self._failures.keep(error)
            return None


def careful(hook: Any, failures: Failures) -> Any:
    """The hook, once."""
    return hook if isinstance(hook, Careful) or not callable(hook) else Careful(hook, failures)


def make_careful(model: nn.Module, failures: Failures) -> None:
    """All hooks that a model has for the way back."""
    for hooks in _dictionaries(model):
        hooks.update({key: careful(hook, failures) for key, hook in hooks.items()})


def _dictionaries(model: nn.Module) -> Iterator[dict[int, Any]]:
    yield from (getattr(global_hooks, name) for name in OF_ALL_MODULES)
    yield from (getattr(module, name) for module in model.modules() for name in OF_MODULES)
    for parameter in model.parameters():
        accumulated = getattr(parameter, "_post_accumulate_grad_hooks", None)
        yield from (hooks for hooks in (parameter._backward_hooks, accumulated) if hooks)
