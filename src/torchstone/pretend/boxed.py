"""Any op on device tensors, run by its CPU kernel on the same bytes.

Each op is registered under its own name wherever the CPU has a kernel for it, rather than caught by one fallback:
otherwise PyTorch decomposes `cumsum` into `empty` and `cumsum.out` first, which costs three dispatches and hides
the name under which a person knows the op.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from torchstone.pretend.faults import Call
from torchstone.pretend.machine import machine
from torchstone.pretend.tensors import CPU, device_storage, device_tensor, host_alias, point_to, two_devices

Kernel = Callable[..., Any]

# As on CUDA, an index may stay on the host; the kernel brings it over.
TAKES_CPU_INDICES = frozenset({"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_"})
# Their result depends on the device's data, so the host waits for it.
READS_BACK = frozenset(
    {"aten::_local_scalar_dense", "aten::equal", "aten::nonzero", "aten::masked_select", "aten::_unique2"}
)
# Where torch.ops makes a tensor of a number by itself (torch::should_allow_numbers_as_tensors).
NUMBERS_BECOME_TENSORS = frozenset({"add", "sub", "mul", "div"})
# Finite, and larger than any rounding error in any dtype.
WRONG_SCALE = 1.01
WRONG_SHIFT = 0.01


@dataclass(frozen=True)
class Effects:
    """What an op does to its arguments, by their position or keyword."""

    mutated: tuple[int | str, ...] = ()
    returned: tuple[int | str, ...] = ()
    resizable: tuple[str, ...] = ()


PURE = Effects()


def aten_operator(name: str) -> torch._ops.OpOverload:
    """The op of a name such as `add.Tensor` or `mm`."""
    packet, _, overload = name.partition(".")
    operator: torch._ops.OpOverload = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return operator


def run_anything(operator: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    """The fallback for ops that were not registered by name, such as a person's own custom ops."""
    return boxed_kernel(operator)(*args, **kwargs)


@cache
def boxed_kernel(operator: torch._ops.OpOverload) -> Kernel:
    """The device's kernel for one op: the CPU's."""
    return host_kernel(str(operator._schema).split("(")[0], _taking_numbers(operator), _effects(operator))


def host_kernel(name: str, function: Kernel, effects: Effects = PURE) -> Kernel:
    """A kernel under the name of an op, from a function on CPU tensors."""
    indexed = name.split(".")[0] in TAKES_CPU_INDICES
    reads_back = name.split(".")[0] in READS_BACK
    draws = isinstance(function, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in function.tags

    def kernel(*args: Any, **kwargs: Any) -> Any:
        # A mode such as `with torch.device(...)` must not reach into the kernel's own calls.
        with torch._C.DisableTorchFunction():
            behaviour = machine.begin(name)
            if indexed:
                check_indexed(*args)
            else:
                check_same_device((*args, *kwargs.values()))
            if effects.mutated:
                check_written(_pick(effects.mutated, args, kwargs))
            host_args = [to_host(value) for value in args]
            host_kwargs = {key: to_host(value) for key, value in kwargs.items()}
            for key in effects.resizable:
                host_kwargs[key] = _empty_if_empty(host_kwargs[key])
            if draws and not machine.knobs.seeds_repeat:
                torch.default_generator.seed()
            written = _pick(effects.mutated, host_args, host_kwargs)
            call = Call(name, host_args, host_kwargs, args, written, function)
            results = call.right() if behaviour.fault is None else behaviour.fault(call)
            for key in effects.resizable:
                _adopt_output(kwargs[key], host_kwargs[key])
            if behaviour.wrong:
                spoil(written if effects.mutated else results)
            machine.finish(behaviour)
            if reads_back:
                machine.clock.wait()
            if not effects.returned:
                return to_device(results)
            returned = _pick(effects.returned, args, kwargs)
            return returned[0] if len(returned) == 1 else returned

    return kernel


def to_host(value: Any) -> Any:
    """Replace every device tensor, and the device itself, by its CPU counterpart."""
    if isinstance(value, torch.Tensor):
        return value if value.is_cpu else host_alias(value)
    if isinstance(value, (list, tuple)):
        return [to_host(item) for item in value]
    if isinstance(value, torch.device):
        return CPU
    return value


def to_device(value: Any) -> Any:
    """Replace every CPU tensor by a device tensor over the same bytes."""
    if isinstance(value, torch.Tensor):
        return device_tensor(value)
    if isinstance(value, (list, tuple)):
        return type(value)(to_device(item) for item in value)
    return value


def check_same_device(values: Iterable[Any]) -> None:
    """Refuse CPU tensors beside device tensors, but for scalars, as every device does."""
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.is_cpu and value.dim() > 0:
                raise two_devices(value.device)
        elif isinstance(value, (list, tuple)):
            check_same_device(value)


def check_indexed(tensor: torch.Tensor, indices: Any, *others: Any) -> None:
    """Let indices be on the host, but not the tensor that is indexed, nor what is written to it."""
    if tensor.is_cpu:
        raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")
    check_same_device(others)


def check_written(values: Iterable[Any]) -> None:
    """Refuse even a CPU scalar where the device would have to write."""
    for value in values:
        if isinstance(value, torch.Tensor) and value.is_cpu:
            raise two_devices(value.device)


def spoil(value: Any) -> None:
    """Make floating results wrong in place."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point() or value.is_complex():
            value.mul_(WRONG_SCALE).add_(WRONG_SHIFT)
    elif isinstance(value, (list, tuple)):
        for item in value:
            spoil(item)


def _taking_numbers(operator: torch._ops.OpOverload) -> Kernel:
    """PyTorch hands `x % 5` to `remainder.Tensor`, and to Python with a 5 that only `remainder.Scalar` takes."""
    kinds = [str(argument.type) for argument in operator._schema.arguments]
    if kinds.count("Tensor") < 2 or operator._opname.rstrip("_") in NUMBERS_BECOME_TENSORS:
        return operator

    def call(*args: Any, **kwargs: Any) -> Any:
        for kind, value in zip(kinds, args, strict=False):
            if kind == "Tensor" and isinstance(value, (int, float, complex)):
                return operator.overloadpacket(*args, **kwargs)
        return operator(*args, **kwargs)

    return call


def _effects(operator: torch._ops.OpOverload) -> Effects:
    schema = operator._schema
    written = {
        argument.name if argument.kwarg_only else position: argument.alias_info.before_set
        for position, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    }
    aliases = [value.alias_info.before_set for value in schema.returns if value.alias_info is not None]
    return Effects(
        mutated=tuple(written),
        returned=tuple(place for alias in aliases for place, names in written.items() if names & alias),
        resizable=tuple(
            argument.name for argument in schema.arguments if argument.is_out and str(argument.type) == "Tensor"
        ),
    )


def _pick(places: tuple[int | str, ...], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(args[place] if isinstance(place, int) else kwargs[place] for place in places)


def _empty_if_empty(alias: torch.Tensor) -> torch.Tensor:
    """An output that the CPU kernel may resize: the bytes of the device cannot be, but an empty one has none."""
    return alias if alias.numel() else torch.empty(0, dtype=alias.dtype, device=CPU)


def _adopt_output(tensor: torch.Tensor, alias: torch.Tensor) -> None:
    """Give an output the shape, and the bytes, that the CPU kernel gave to its alias."""
    if tensor.size() == alias.size():
        return
    host = alias.untyped_storage()
    storage = tensor.untyped_storage() if hasattr(host, "pretend_device") else device_storage(host)
    point_to(tensor, storage, alias)
