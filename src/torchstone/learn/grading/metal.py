"""Metal kernels as a grader sees them: run by an interpreter where there is no Mac, every access looked at.

On a Mac `torch.mps.compile_shader` is what it is, and the kernel runs on the GPU. Elsewhere it is replaced before the
learner's file is imported: the source is read as Metal, refused where it is none, and run thread by thread.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch

from torchstone.backends import mps
from torchstone.learn.grading.checks import expect, fail
from torchstone.learn.grading.metal_language import Function, Parameter, parse
from torchstone.learn.grading.metal_values import Buffer, Pointer, convert
from torchstone.learn.grading.session import session

POSITION = "thread_position_in_grid"
NUMPY_DTYPES: dict[torch.dtype, Any] = {
    torch.float32: np.float32,
    torch.float16: np.float16,
    torch.int32: np.int32,
    torch.int64: np.int64,
}
OUTSIDE = "There are as many threads as the launch says: each may only touch what is there. How many should there be?"


@dataclass
class MetalWatch:
    """What kernels have done so far."""

    compiled: int = 0
    launches: list[str] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    """How many each launch had."""
    outside: list[str] = field(default_factory=list)
    is_interpreted: bool = True

    def expect_inside(self) -> None:
        """Fail where a kernel touched memory outside of its tensors since the last time."""
        if self.outside:
            first = self.outside[0]
            self.outside.clear()
            fail(f"the kernel {first}", teach=OUTSIDE)

    def expect_launched(self, name: str, call: Callable[[], Any]) -> Any:
        """The call must launch that kernel."""
        before = len(self.launches)
        result = call()
        expect(
            name in self.launches[before:],
            f"the kernel {name!r} is not launched",
            teach="torch.mps.compile_shader(SOURCE) has the kernels as methods: launch with library.name(…).",
        )
        return result


def watch_metal() -> MetalWatch:
    """Call it at the top of a `grade.py`, before the learner's file is imported."""
    seen = MetalWatch(is_interpreted=session.device.type != "mps")
    # Memory from torch.empty is then NaN: what a kernel forgot to write can't be right by chance.
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    mps.watch_shaders(lambda original: partial(_compile, original, seen))
    return seen


def _compile(original: Callable[[str], Any], seen: MetalWatch, source: str) -> Any:
    seen.compiled += 1
    return Library(parse(source), seen) if seen.is_interpreted else _Counted(original(source), seen)


class _Counted:
    """Torch's own library, with launches written down."""

    def __init__(self, library: Any, seen: MetalWatch) -> None:
        self._library = library
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        kernel = getattr(self._library, name)

        def launch(*args: Any, **options: Any) -> Any:
            self._seen.launches.append(name)
            self._seen.threads.append(_count(options.get("threads"), args))
            return kernel(*args, **options)

        return launch


class Library:
    """What `compile_shader` gives: kernels as methods."""

    def __init__(self, functions: dict[str, Function], seen: MetalWatch) -> None:
        self._kernels = {name: function for name, function in functions.items() if function.is_kernel}
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        if name not in self._kernels:
            raise AttributeError(f"the Metal source has no kernel {name!r}; it has {sorted(self._kernels)}")
        return partial(self._launch, self._kernels[name])

    def __dir__(self) -> list[str]:
        return sorted(self._kernels)

    def _launch(
        self, kernel: Function, *args: Any, threads: Any = None, group_size: Any = None, arg_casts: Any = None
    ) -> None:
        self._seen.launches.append(kernel.name)
        bound = [one for one in kernel.parameters if one.attribute is None or one.index is not None]
        order = sorted(range(len(bound)), key=lambda place: _index(bound[place], place))
        if len(args) != len(bound):
            raise TypeError(f"kernel {kernel.name} has {len(bound)} buffers and was given {len(args)}")
        values = {bound[place].name: _bind(bound[place], value) for place, value in zip(order, args, strict=True)}
        self._seen.threads.append(_count(threads, args))
        for position in range(self._seen.threads[-1]):
            self._run(kernel, values, position)
        for one in values.values():
            if isinstance(one, Pointer):
                self._seen.outside += one.buffer.outside
                one.buffer.outside.clear()

    def _run(self, kernel: Function, values: dict[str, Any], position: int) -> None:
        given = []
        for one in kernel.parameters:
            if one.name in values:
                given.append(values[one.name])
            elif one.attribute == POSITION:
                given.append(convert(position, one.kind))
            else:
                raise SyntaxError(f"[[{one.attribute}]] is not known here: {POSITION} is")
        kernel.body(given)


def _index(parameter: Parameter, place: int) -> int:
    return place if parameter.index is None else parameter.index


def _count(threads: Any, args: tuple[Any, ...]) -> int:
    """As many as the first tensor has numbers, unless told; one axis."""
    if threads is None:
        return next(one.numel() for one in args if isinstance(one, torch.Tensor))
    count = list(threads) if isinstance(threads, (list, tuple)) else [threads]
    if any(number != 1 for number in count[1:]):
        raise ValueError("threads along one axis only are known here")
    return int(count[0])


def _bind(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return Pointer(_buffer(parameter, value))
    if parameter.is_pointer:
        raise TypeError(f"{parameter.name} is a pointer, and was given {value!r}, not a tensor")
    if not parameter.is_reference:
        raise TypeError(
            f"{parameter.name} should be declared as `constant {parameter.kind.__name__}& {parameter.name}`"
        )
    is_float = parameter.kind.__name__.startswith("float")
    if isinstance(value, bool) or is_float != isinstance(value, float):
        raise TypeError(
            f"{parameter.name} is a {parameter.kind.__name__}, and was given {value!r}: the bits don't match"
        )
    return convert(value, parameter.kind)


def _buffer(parameter: Parameter, tensor: torch.Tensor) -> Buffer:
    """The tensor's memory from its first number on, as Metal is given it: without its strides."""
    if tensor.dtype not in NUMPY_DTYPES:
        raise TypeError(f"{parameter.name} was given a tensor of {tensor.dtype}, which no parameter here can be")
    size = tensor.untyped_storage().nbytes() - tensor.storage_offset() * tensor.element_size()
    # Not by tensor.numpy(), which an exercise may rule out for the learner.
    memory: Any = ctypes.c_char * int(size)
    numbers = np.frombuffer(memory.from_address(tensor.data_ptr()), NUMPY_DTYPES[tensor.dtype])
    if parameter.is_pointer and numbers.dtype != parameter.kind:
        raise TypeError(
            f"{parameter.name} points to {parameter.kind.__name__}, and was given a tensor of {numbers.dtype}: "
            "Metal would read its bits as something else"
        )
    if parameter.is_constant and parameter.is_pointer:
        numbers = numbers.copy()
        numbers.flags.writeable = False
    return Buffer(f"{parameter.name!r}", numbers)
