"""Where a program names the device that is asked for, it means the phantom: its calls of torch are translated."""

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_map

from torchstone.checking import phantom, seeming
from torchstone.checking.generators import refuse_mixed, without_generator
from torchstone.checking.hooks import REGISTERING, careful
from torchstone.checking.host import reads_into_numpy
from torchstone.checking.shadows import NAMES_ONLY, Shadows, names
from torchstone.measuring.allocations import leaves_of_call

if TYPE_CHECKING:
    from torchstone.checking.recording import Recorder


class Rewriting(TorchFunctionMode):
    """Where a program names the wanted device itself, it means the phantom; and which function of torch is called."""

    def __init__(self, recorder: "Recorder", shadows: Shadows | None = None) -> None:
        super().__init__()
        self._device = recorder.device
        self._recorder = recorder
        self._shadows = shadows or Shadows(recorder.device)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        told = self._tell_device(function, args)
        if told is not None:
            return told
        if function in NAMES_ONLY:
            return function(*args, **kwargs)
        if function in REGISTERING:
            args, kwargs = tree_map(self._careful, (args, kwargs))
        leaves = leaves_of_call((args, kwargs))
        if any(self._is_rewritten(leaf) for leaf in leaves):
            args, kwargs = tree_map(self._rewritten, (args, kwargs))
            refuse_mixed(function_name(function), leaves_of_call((args, kwargs)), self._device)
            args, kwargs = tree_map(without_generator, (args, kwargs))
        if function is Tensor.cuda and self._device == "cuda":
            return args[0].to(phantom.NAME)
        if reads_into_numpy(function) and isinstance(args[0], FakeTensor):
            return self._recorder.read_into_numpy(*args, **kwargs)
        with self._recorder.within_function(function, args, kwargs, leaves), seeming.hidden(True):
            try:
                return function(*args, **kwargs)
            except RuntimeError as error:  # some look at devices before they call an operator
                words = str(error).replace(phantom.NAME, self._recorder.device)
                raise self._recorder.explained(error, function_name(function), (args, kwargs), words) from error

    @contextlib.contextmanager
    def going_back(self) -> Iterator[None]:
        """Within, a backward pass calls people's own code with devices translated: in this thread, since another has no
        modes, and with this mode, which torch has put aside for its own function."""
        original = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

        def run(*args: Any, **kwargs: Any) -> Any:
            with (
                self._recorder.failures.raised_after(),
                self,
                seeming.hidden(False),
                torch.autograd.set_multithreading_enabled(False),
            ):
                return original(*args, **kwargs)

        torch.autograd._engine_run_backward = run  # type: ignore[attr-defined]
        try:
            yield
        finally:
            torch.autograd._engine_run_backward = original  # type: ignore[attr-defined]

    def _tell_device(self, function: Any, args: Any) -> Any:
        """What an attribute tells of a tensor on the device; None where it tells something else."""
        told = self._shadows.tell(function, args)
        if told is not None or (function != seeming.DEVICE and function not in seeming.GETTERS):
            return told
        device = args[0].fake_device if isinstance(args[0], FakeTensor) else seeming.DEVICE(args[0])
        if device.type != phantom.NAME:
            return None
        return (
            torch.device(self._device, 0) if function == seeming.DEVICE else seeming.GETTERS[function] == self._device
        )

    def _careful(self, value: Any) -> Any:
        return value if isinstance(value, Tensor) else careful(value, self._recorder.failures)

    def _is_rewritten(self, leaf: Any) -> bool:
        return isinstance(leaf, (str, torch.device, torch.Generator)) or leaf in self._shadows

    def _rewritten(self, value: Any) -> Any:
        if value in self._shadows:
            return self._shadows.placed(value)
        if names(value, self._device):
            return torch.device(phantom.NAME) if isinstance(value, torch.device) else phantom.NAME
        return value


@contextlib.contextmanager
def functions_aside() -> Iterator[None]:
    """Within, no functions are rewritten: an operator runs below them. In a forward pass torch sees to that; a backward
    pass calls operators from C++, and the functions that their shapes are computed with are most of what it calls."""
    height = torch._C._len_torch_function_stack()
    if not height or not isinstance(torch._C._get_function_stack_at(height - 1), Rewriting):
        yield
        return
    mode = torch._C._pop_torch_function_stack()
    try:
        yield
    finally:
        torch._C._push_on_torch_function_stack(mode)


@cache
def function_name(function: Any) -> str:
    """As people write it: `nn.functional.linear`, `Tensor.mean`. Kept: torch asks the filters of warnings each time."""
    name = resolve_name(function) or ""
    return name.removeprefix("torch.").removeprefix("_C.").removeprefix("_linalg.")
