"""Where in a person's program a call comes from: the module whose code runs, and the innermost line outside torch.

A backward operator has no line of its own, unless a person has written its `backward`: it is given that of the forward
call whose gradient it computes, which autograd's sequence numbers tell; a second derivative, too.
"""

import contextlib
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as module_hooks

from torchstone.checking.trace import Place

_TORCH = str(Path(torch.__file__).parent)
_OURS = str(Path(__file__).parents[1])
_ZOO = str(Path(_OURS, "models"))
_LAYERS = str(Path(_TORCH, "nn"))
_FUNCTIONS = str(Path(_LAYERS, "functional.py"))
_STANDARD = sysconfig.get_paths()["stdlib"]
_ENGINE = "_engine_run_backward"
"""The function of torch that calls autograd's engine (torch/autograd/graph.py)."""
_CUT_AT = ("site-packages", "dist-packages")


class Places:
    """Follows one model; use as a context manager."""

    def __init__(self, model: nn.Module) -> None:
        self.phase = "forward"
        self._names = {id(module): name for name, module in model.named_modules()}
        self._stack: list[tuple[int, str]] = []
        self._of_forward: dict[int, Place] = {}
        self._hooks: list[Any] = []

    def __enter__(self) -> "Places":
        self._hooks = [
            module_hooks.register_module_forward_pre_hook(self._enter_module),
            module_hooks.register_module_forward_hook(self._leave_module),
        ]
        return self

    def __exit__(self, *error: object) -> None:
        for hook in self._hooks:
            hook.remove()

    def here(self) -> Place:
        """Of the call that is being made now."""
        node = torch._C._current_autograd_node()
        if node is not None:
            found = self._of_forward.get(node._sequence_nr()) or Place()
            # Where a graph is kept, it has made a node, which differentiates the same forward call once more.
            self._of_forward.setdefault(next_number() - 1, found)
            own = source_of(sys._getframe(1), until=_ENGINE)
            return Place(phase="backward", module=found.module, source=own or found.source)
        place = Place(phase=self.phase, module=self.module, source=source_of(sys._getframe(1)))
        if self.phase == "forward":
            # Autograd makes its node before it calls the kernel; calls without a gradient share the last number.
            self._of_forward.setdefault(next_number() - 1, place)
        return place

    @contextlib.contextmanager
    def attributing(self) -> Iterator[None]:
        """Within, calls are parts of the one that is made now, and none of them asks where it is."""
        place, begin = self.here(), next_number()
        yield
        for number in range(begin, next_number()):
            self._of_forward.setdefault(number, place)

    @property
    def module(self) -> str:
        """The path of the module whose code runs; after a failure, of the one that failed."""
        return self._stack[-1][1] if self._stack else ""

    def place_of(self, error: BaseException) -> Place:
        """Where an exception was raised."""
        place = self.here()
        return Place(phase=place.phase, module=self.module, source=source_of_error(error) or place.source)

    def _enter_module(self, module: nn.Module, args: Any) -> None:
        self._stack.append((id(module), self._names.get(id(module), self.module)))

    def _leave_module(self, module: nn.Module, args: Any, output: Any) -> None:
        """Also those within it that an exception left, where the person's code caught it."""
        while self._stack and self._stack.pop()[0] != id(module):
            pass


def next_number() -> int:
    """The sequence number that autograd will give to its next node."""
    number: int = torch._C._autograd._get_sequence_nr()
    return number


def source_of(frame: FrameType | None, until: str = "") -> str:
    """The innermost line outside torch and torchstone, from a frame outwards, as `file.py:12`; no farther than a
    function of the name `until`."""
    while frame is not None and frame.f_code.co_name != until:
        if is_somebodys(frame.f_code.co_filename):
            return f"{shorten(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def source_of_error(error: BaseException) -> str:
    """The same, of where an exception came from."""
    found, step = "", error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        found = f"{shorten(filename)}:{step.tb_lineno}" if is_somebodys(filename) else found
        step = step.tb_next
    return found


@cache
def is_somebodys(filename: str) -> bool:
    """Neither torch's, ours (but for the models that we ship), nor Python's own."""
    is_library = filename.startswith((_TORCH, _OURS, "<")) or _is_standard(filename)
    return filename.startswith(_ZOO) or not is_library


@cache
def is_somebodys_or_a_layers(filename: str) -> bool:
    """Code that chooses its way by the device: everybody's, and that of torch's layers, but not torch's machinery."""
    if filename.startswith(_TORCH):
        return is_of_layers(filename) and filename != _FUNCTIONS
    return filename.startswith(_ZOO) or not filename.startswith(_OURS)


def is_of_layers(filename: str) -> bool:
    """Whether it is torch's own code of layers and of the functions that they call."""
    return filename.startswith(_LAYERS)


def _is_standard(filename: str) -> bool:
    return filename.startswith(_STANDARD) and not any(word in filename for word in _CUT_AT)


@cache
def shorten(filename: str) -> str:
    """Within a library its own path, else as seen from the current folder."""
    parts = Path(filename).parts
    for word in _CUT_AT:
        if word in parts:
            return str(Path(*parts[parts.index(word) + 1 :]))
    try:
        return str(Path(filename).relative_to(Path.cwd()))
    except (ValueError, OSError):
        return filename
