"""Triton kernels as a grader sees them: run by Triton's interpreter where there is no GPU, with every access looked at.

A kernel that reads or writes past the end of a tensor crashes on one machine, is wrong on another and goes unnoticed on
a third. Under the interpreter each address is compared with the tensors that the launch was given, so that the stray
ones become a sentence. On a GPU the kernel is compiled as ever, and only launches are counted.
"""

import inspect
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from torchstone.learn.grading.checks import expect, fail
from torchstone.learn.grading.session import session

INTERPRETED = ("cpu", "pretend")
OUTSIDE = (
    "The last block usually reaches past the end: give load and store a mask, `offsets < n`, or the kernel touches "
    "memory that belongs to someone else."
)


@dataclass
class Tensors:
    """Where the tensors of a launch lie: first address and the one after the last, by position."""

    starts: np.ndarray[Any, Any]
    ends: np.ndarray[Any, Any]
    sizes: tuple[int, ...]
    """Of one number of each."""

    def contain(self, addresses: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        flat = addresses.reshape(-1, 1)
        return ((flat >= self.starts) & (flat < self.ends)).any(1).reshape(addresses.shape)

    def tell(self, address: int) -> str:
        """`at element 5 of a tensor of 5`."""
        below = [place for place, start in enumerate(self.starts) if start <= address]
        if not below:
            return "before all tensors that it was given"
        near = max(below, key=lambda place: int(self.starts[place]))
        start, end, size = int(self.starts[near]), int(self.ends[near]), self.sizes[near]
        return f"at element {(address - start) // size} of a tensor of {(end - start) // size}"


@dataclass
class KernelWatch:
    """What kernels have done so far."""

    launches: int = 0
    accesses: int = 0
    """Loads and stores, each of a whole block; only the interpreter tells."""
    programs: int = 0
    """Of all launches together; only the interpreter tells."""
    outside: list[str] = field(default_factory=list)
    tensors: Tensors | None = None

    def expect_inside(self) -> None:
        """Fail where a kernel touched memory outside of its tensors since the last time."""
        if self.outside:
            first = self.outside[0]
            self.outside.clear()
            fail(f"the kernel {first}", teach=OUTSIDE)

    def expect_launched(self, name: str, call: Callable[[], Any]) -> Any:
        """The call must launch a kernel."""
        before = self.launches
        result = call()
        expect(
            self.launches > before,
            f"{name} launches no Triton kernel",
            teach="The work belongs into the function under @triton.jit: launch it with kernel[grid](…).",
        )
        return result


def watch_kernels() -> KernelWatch:
    """Call it at the top of a `grade.py`, before the learner's file imports Triton."""
    seen = KernelWatch()
    # Memory from torch.empty is then NaN: what a kernel forgot to write can't be right by chance.
    # Not through torch.use_deterministic_algorithms, which imports all of torch.compile.
    torch._C._set_deterministic_algorithms(True, warn_only=True)
    if session.device.type in INTERPRETED:
        os.environ["TRITON_INTERPRET"] = "1"
        from triton.runtime import interpreter

        _watch_interpreter(interpreter, seen)
    else:
        from triton.runtime.jit import JITFunction

        _count(JITFunction, "run", seen)
    return seen


def _count(owner: Any, name: str, seen: KernelWatch) -> None:
    original = getattr(owner, name)

    def counted(*args: Any, **kwargs: Any) -> Any:
        seen.launches += 1
        return original(*args, **kwargs)

    setattr(owner, name, counted)


def _watch_interpreter(interpreter: Any, seen: KernelWatch) -> None:
    interpreter._interpreter = _Memory(interpreter._interpreter, seen)
    executor, original = interpreter.GridExecutor, interpreter.GridExecutor._init_args_hst

    def placed(self: Any, args: Any, kwargs: Any) -> Any:
        on_host = original(self, args, kwargs)
        everything = [*on_host[0], *on_host[1].values()]
        seen.tensors = _places([value for value in everything if isinstance(value, torch.Tensor)])
        seen.launches += 1
        return on_host

    executor._init_args_hst = placed
    _watch_builder(interpreter, seen)
    _remember_builtins(interpreter)


def _remember_builtins(interpreter: Any) -> None:
    """Triton looks through its whole language for what to replace, at each launch and at each call of `tl.sum`: half of
    the time of a small kernel. What there is does not change."""
    names: dict[Any, list[str]] = {}
    is_builtin = interpreter.tl.core.is_builtin

    def patch(package: Any, builder: Any, scope: Any) -> None:
        if package not in names:
            names[package] = [name for name, member in inspect.getmembers(package) if is_builtin(member)]
        for name in names[package]:
            member = getattr(package, name)
            if is_builtin(member):  # not where a caller has replaced it already
                interpreter._patch_attr(package, name, member, builder, scope)

    interpreter._patch_builtin = patch


def _watch_builder(interpreter: Any, seen: KernelWatch) -> None:
    """Count programs, and give masked places what they have on a GPU: anything, where no `other` was named."""
    builder = interpreter.InterpreterBuilder
    load, set_grid = builder.create_masked_load, builder.set_grid_dim

    def load_anything(self: Any, places: Any, mask: Any, other: Any, *policies: Any) -> Any:
        if other is None:
            kind = places.get_element_ty()
            other = interpreter.TensorHandle(_anything(places.data.shape, interpreter._get_np_dtype(kind)), kind)
        return load(self, places, mask, other, *policies)

    def count_programs(self: Any, *axes: int) -> None:
        seen.programs += math.prod(axes)
        set_grid(self, *axes)

    builder.create_masked_load, builder.set_grid_dim = load_anything, count_programs


def _anything(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """NaN, or the largest whole number: nobody takes it for zero."""
    kind = np.dtype(dtype).kind
    value = np.nan if kind == "f" else np.iinfo(dtype).max if kind in "iu" else 1
    return np.full(shape, value, dtype)


def _places(tensors: list[torch.Tensor]) -> Tensors:
    starts = np.array([tensor.untyped_storage().data_ptr() for tensor in tensors], dtype=np.uint64)
    lengths = np.array([tensor.untyped_storage().nbytes() for tensor in tensors], dtype=np.uint64)
    return Tensors(starts, starts + lengths, tuple(tensor.element_size() for tensor in tensors))


class _Memory:
    """The interpreter's own loads and stores, with the stray ones masked out and written down."""

    def __init__(self, original: Any, seen: KernelWatch) -> None:
        self.original = original
        self.seen = seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)

    def load(self, addresses: Any, mask: Any, other: Any, dtype: Any) -> Any:
        return self.original.load(addresses, self._inside("reads", addresses, mask), other, dtype)

    def store(self, addresses: Any, value: Any, mask: Any) -> Any:
        return self.original.store(addresses, value, self._inside("writes", addresses, mask))

    def atomic_rmw(self, operation: Any, addresses: Any, value: Any, mask: Any, order: Any) -> Any:
        return self.original.atomic_rmw(operation, addresses, value, self._inside("writes", addresses, mask), order)

    def _inside(self, verb: str, addresses: Any, mask: Any) -> Any:
        if self.seen.tensors is None:
            return mask
        self.seen.accesses += 1
        inside = self.seen.tensors.contain(addresses)
        stray = mask & ~inside
        if stray.any():
            where = self.seen.tensors.tell(int(addresses[stray][0]))
            self.seen.outside.append(f"{verb} outside of its tensors, {where}")
        return mask & inside
