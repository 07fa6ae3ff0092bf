"""The learner's file as a check sees it: its functions, guarded.

A guarded call keeps copies of the arguments to show and to compare, notes forbidden torch functions, and fails where
the learner's code changed what it was given. Exceptions pass through: the judge turns them into words.
"""

import difflib
import inspect
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from torch import nn

from torchstone.learn.grading.checks import Failed, fail
from torchstone.learn.grading.forbidding import PROGRAM, watch_for
from torchstone.learn.grading.hooks import unheard
from torchstone.learn.grading.keeping import (
    Aspect,
    Change,
    clone,
    find_change,
    find_form_change,
    find_mode_change,
    keep,
    modes,
    module_form,
    modules_in,
    put_to_use,
)
from torchstone.learn.grading.session import Call, session
from torchstone.learn.grading.showing import show, show_call
from torchstone.learn.verdicts import Failure, Place

LEFT = "The caller's settings are not the function's: change them in a `with` block, or put them back in a `finally`."
UNSEEN = "Nobody can look into a program of its own: what this exercise asks for belongs into your file."


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

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        may_change: Collection[int] | None = (),
        also: Collection[Aspect] = (),
    ) -> None:
        self.function = function
        self.__name__ = name or getattr(function, "__name__", None) or type(function).__name__
        self.may_change = may_change
        """The positions of the arguments that it may change; None for all."""
        self.also = frozenset({"gradients", *also})
        """What it may change of those that are modules, beside their numbers."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with unheard():
            copies = clone((args, kwargs))
            shown = named_arguments(self.function, copies)
            _remember(Call(self.__name__, shown, *copies))
            given = named_arguments(self.function, (args, kwargs))
            same = {label: value for place, (label, value) in enumerate(given.items()) if not self._may_change(place)}
            before = modes()
            in_use = put_to_use(
                () if "hooks" in self.also else modules_in(list(given.values())), modules_in(list(same.values()))
            )
        with in_use:
            with unheard():
                kept = {label: keep(value, shown.get(label)) for label, value in same.items()}
                forms = [
                    (label, module, module_form(module, gradients=False))
                    for label, value in given.items()
                    if label not in same
                    for module in modules_in(value)
                ]
            with watch_for(session.forbidden) as found:
                try:
                    result = self.function(*args, **kwargs)
                except Exception:
                    self._expect_modes(before)
                    raise
            expect_allowed(found, self.__name__)
            with unheard():
                self._expect_modes(before)
                for label, one in kept.items():
                    self._expect(find_change(one), label, shown.get(label), one.value)
                for label, module, form in forms:
                    self._expect(find_form_change(form, module, self.also), label, shown.get(label), module)
        return result

    def _may_change(self, place: int) -> bool:
        return self.may_change is None or place in self.may_change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def _expect(self, change: Change | None, label: str, before: Any, after: Any) -> None:
        if change is not None:
            raise Failed(_changed(self.__name__, label, change, before, after))

    def _expect_modes(self, before: Mapping[str, Any]) -> None:
        change = find_mode_change(before, may_seed=self.may_change != ())
        if change is not None:
            raise Failed(Failure(message=f"{self.__name__} {change}", teach=LEFT))


def guard(function: Any, name: str | None = None) -> Guarded:
    """Guard any callable of the learner's, such as a module that `answer.Net()` returned."""
    return function if isinstance(function, Guarded) else Guarded(function, name)


def in_place(function: Any, *positions: int, also: Collection[Aspect] = ()) -> Guarded:
    """The same callable, allowed to change its arguments, or those at these positions; it may seed torch too.

    Of a module that is its numbers and gradients, and what `also` names.
    """
    return Guarded(guard(function).function, guard(function).__name__, positions or None, also)


def raw(function: Any) -> Any:
    """The learner's callable without its guard: for timing and for counting."""
    return function.function if isinstance(function, Guarded) else function


def expect_allowed(found: Mapping[str, Place | None], caller: str) -> None:
    """Fail where a forbidden torch function or op was used."""
    for name, place in found.items():
        if name == PROGRAM:
            raise Failed(Failure(message=f"{caller} starts another program", place=place, teach=UNSEEN))
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
    if isinstance(function, nn.Module):
        return inspect.signature(function.forward)  # not kept: that would keep the module, and its memory, alive
    return _signature(function)


@lru_cache(maxsize=64)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _remember(call: Call) -> None:
    session.last_call = call
    if session.calls is not None:
        session.calls.append(call)


def _changed(function: str, label: str, change: Change, before: Any, after: Any) -> Failure:
    return Failure(
        message=f"{function} changed its argument {label!r}: {change.what}",
        inputs=show_call({f"{label} before": before}),
        got=show(f"{label} after", after),
        teach=change.teach,
    )


def _missing_hint(name: str, module: ModuleType) -> str:
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    near = difflib.get_close_matches(name, own, n=1) or own[:1]
    renamed = f"Was it renamed to {near[0]!r}? " if near else ""
    return f"{renamed}The checks look it up by its name: keep the name and the parameters of the starter."
