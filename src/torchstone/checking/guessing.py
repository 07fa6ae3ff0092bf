"""Values that a program reads and that tensors without data do not have: ones stand for them, and that is noted.

A program that decides by a value may take another way with real data, so a guess makes the verdict `unknown`. Where
torch itself reads a value only to raise an error (a singular matrix, a distribution's arguments), nothing is decided:
it is taken not to raise. A loop that runs until a value changes would never end on guesses, so they are counted.
"""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

from torchstone.checking import phantom
from torchstone.checking.guards import passing_value, passing_value_of_a_layer
from torchstone.checking.places import is_of_layers, is_somebodys
from torchstone.checking.trace import Guess, Place
from torchstone.measuring.allocations import leaves_of_call
from torchstone.pretend.recurrent import gru_cell, gru_cell_backward

MOST_ELEMENTS = 1 << 24
MOST_AT_A_LINE = 2_000
"""Of one module: a layer asks each of its experts, and each row of a batch; seldom more."""
MOST_IN_ALL = 100_000
ERROR_CHECKS = frozenset({"aten::_linalg_check_errors", "aten::_assert_async", "aten::_assert_async.msg"})
"""Operators that read a value to raise an error and give nothing: there is none to raise here."""
NOT_ON_THE_HOST = {"aten::_thnn_fused_gru_cell": gru_cell, "aten::_thnn_fused_gru_cell_backward": gru_cell_backward}
"""Operators of accelerators alone, without which no GRU could be traced."""
WARNS = {"aten::equal": ("cov", "corrcoef")}
"""Operators that these functions ask whether to warn and to change one number (ATen/native/Correlation.cpp)."""
_FINDS_A_CAUSAL_MASK = "_detect_is_causal_mask"
"""The function of torch/nn/modules/transformer.py that compares a mask with the causal one."""
FOLLOWED = frozenset(
    f"aten::{name}"
    for name in (
        *("arange", "arange.start", "arange.start_step", "clone", "_to_copy", "cumsum"),
        *("max", "min", "amax", "amin", "sum", "any", "all", "any.dim", "all.dim", "sum.dim_IntList"),
        *("lift_fresh", "detach", "alias", "unbind.int", "split.Tensor", "split_with_sizes"),
        *("select.int", "slice.Tensor", "unsqueeze", "squeeze", "squeeze.dim", "view", "expand", "transpose.int", "t"),
        *("add.Tensor", "sub.Tensor", "mul.Tensor", "bitwise_and.Tensor", "bitwise_or.Tensor", "bitwise_not"),
        *("logical_and", "logical_or", "logical_not"),
        *(f"{name}.{kind}" for name in ("eq", "ne", "lt", "le", "gt", "ge") for kind in ("Scalar", "Tensor")),
    )
)
"""Operators of which it is known what they give where it is known what they are given."""
SIZED_BY_THE_SECOND = frozenset({"aten::index.Tensor", "aten::masked_select"})
"""Operators that give as many values as a mask has truths."""
_DISTRIBUTIONS = str(Path(torch.__file__).parent / "distributions")
_VALIDATING = ("__init__", "_validate_sample")
"""The functions of a distribution that look at values to refuse them (torch/distributions/distribution.py)."""


class EndlessLoopError(BaseException):
    """A line reads values again and again: a loop that a trace can't leave, nor may its program catch this."""

    def __init__(self, place: Place, count: int) -> None:
        super().__init__(f"a loop depends on data: values were read {count} times here, and a trace has none to end it")
        self.place = place


class Guesses:
    """What was guessed in a step, and where."""

    def __init__(self) -> None:
        self.found: dict[Guess, None] = {}
        self.passed: dict[str, None] = {}
        """The lines of checks that are taken not to raise."""
        self._counts: Counter[tuple[str, str]] = Counter()

    def note(self, op: str, place: Place, reason: str = "") -> None:
        """Once for each line; raises where there is no end of it."""
        self.found[Guess(op=op, place=place, reason=reason)] = None
        self._count(place)

    def note_failure(self, op: str, place: Place, reason: str) -> None:
        """Of a call that fails in a trace and whose failure the program catches: the device may do it."""
        self.found[Guess(op=op, place=place, reason=reason)] = None

    def passing(self, tensor: Any, place: Place) -> bool | None:
        """The truth that a program needs to go on where it would only raise otherwise; None where it does not say."""
        if not isinstance(tensor, Tensor) or tensor.dtype is not torch.bool:
            return None
        of_a_layer = passing_value_of_a_layer()
        value = passing_value() if of_a_layer is None else of_a_layer
        if value is not None:
            self._count(place)
        if value is not None and of_a_layer is None:
            self.passed[place.source] = None
        return value

    def _count(self, place: Place) -> None:
        line = (place.source, place.module)
        self._counts[line] += 1
        if self._counts[line] > MOST_AT_A_LINE or self._counts.total() > MOST_IN_ALL:
            self.found = {one: None for one in self.found if one.place != place}  # the loop says it, and more
            raise EndlessLoopError(place, self._counts[line])


def only_decides_an_error() -> bool:
    """Whether the value that is read now can do no more than make torch raise: a distribution looks at what it is
    given."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(_DISTRIBUTIONS) and frame.f_code.co_name in _VALIDATING:
            return True
        frame = frame.f_back
    return False


def only_decides_a_warning(op: str, within: str) -> bool:
    """Whether a value that a function of torch reads now changes nothing that it calls."""
    return within.removeprefix("Tensor.") in WARNS.get(op, ())


def only_chooses_a_mask() -> bool:
    """Whether the value that is read now decides only how attention is told of a mask: a transformer of torch asks
    whether its mask is the causal one. Either way runs on every device, unless the person forbids the general one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_somebodys(frame.f_code.co_filename):
        if frame.f_code.co_name == _FINDS_A_CAUSAL_MASK and is_of_layers(frame.f_code.co_filename):
            allows_any: bool = torch.backends.cuda.math_sdp_enabled()  # type: ignore[no-untyped-call]
            return allows_any
        frame = frame.f_back
    return False


def is_known(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether it is known what the tensors hold that decide what a call gives, or how much of it."""
    return _are_known(args[1] if function.name() in SIZED_BY_THE_SECOND else (args, kwargs))


def _are_known(args: Any) -> bool:
    """Whether there are tensors, and only such of which it is known what they hold."""
    tensors = [leaf for leaf in leaves_of_call(args) if isinstance(leaf, Tensor)]
    return bool(tensors) and all(phantom.value_of(one) is not None for one in tensors)


def follow_value(function: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Know what a call has given, where it is known what it was given and that is cheap."""
    if function.name() not in FOLLOWED:
        return
    made = [leaf for leaf in leaves_of_call(result) if isinstance(leaf, Tensor)]
    if not made or not all(map(phantom.can_be_known, made)):
        return
    makes_of_nothing = not any(isinstance(leaf, Tensor) for leaf in leaves_of_call((args, kwargs)))
    if makes_of_nothing or _are_known((args, kwargs)):
        with _disable_current_modes():
            values = leaves_of_call(function(*tree_map(ones, args), **tree_map(ones, kwargs)))
        for one, value in zip(made, values, strict=True):
            phantom.remember(one, value)


def guess(function: Any, args: Any, kwargs: Any) -> Any:
    """What the operator gives for ones, or where it refuses those for zeros, as tensors without data."""
    function = NOT_ON_THE_HOST.get(function.name(), function)
    with _disable_current_modes():
        try:
            result = function(*tree_map(ones, args), **tree_map(ones, kwargs))
        except (RuntimeError, IndexError):  # a class 1 of one class, say
            result = function(*tree_map(_zeros, args), **tree_map(_zeros, kwargs))
    return tree_map(lambda leaf: phantom.place(leaf) if isinstance(leaf, Tensor) else leaf, result)


def ones(leaf: Any) -> Any:
    """A tensor of the host in the place of one without data: of ones, or an input of the model's with what it holds."""
    if isinstance(leaf, torch.device):
        return torch.device("cpu")
    if not isinstance(leaf, Tensor):
        return leaf
    known = phantom.value_of(leaf)
    if known is not None:
        return known.clone()
    if leaf.numel() > MOST_ELEMENTS:
        raise ValueError(f"it reads the values of a tensor of {leaf.numel()} elements, too many to guess")
    return torch.ones(leaf.shape, dtype=leaf.dtype)


def _zeros(leaf: Any) -> Any:
    return torch.zeros_like(ones(leaf)) if isinstance(leaf, Tensor) else ones(leaf)
