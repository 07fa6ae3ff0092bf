"""What the caller had before a call, to compare with what it has afterwards: arguments, modules, torch's modes.

A copy shows changed numbers. For containers the members themselves are kept beside it: a list that was emptied, sorted
or filled with copies is not the list that was handed in, though its tensors may be equal.
"""

import copy
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext

from torchstone.learn.grading.hooks import unheard

# Taken now: the learner's file is imported later and may replace them.
equal = torch.equal
isnan = torch.isnan
zeros_like = torch.zeros_like
nan_to_num = torch.nan_to_num
COPY = "The caller still needs what it handed in, as it was: work on a copy, and look for methods that end in _."
MODE = "Train or eval is the caller's choice, layer by layer, some frozen on purpose: restore the mode that each had."
HOOK = "Remove the hooks that you made, in a finally, and no others: handle.remove()."
GRAD = (
    "What has gathered in .grad is the caller's, not yours to clear or to add to: backward() writes there, "
    "torch.autograd.grad hands gradients back instead."
)
FLAG = "requires_grad is the caller's flag: detach() gives a new tensor of the same numbers, to be marked as you like."
OBJECTS = "Others, such as an optimizer, hold these very objects: new numbers go into them, in place, under no_grad."
Aspect = Literal["layers", "modes", "hooks", "flags", "gradients"]
"""Of a module, beside its numbers."""
SEED = "initial seed"
CPU = torch.device("cpu")
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks")


def clone(value: Any, device: torch.device | None = None) -> Any:
    """A copy that shares nothing with the original, on another device if one is given."""
    if type(value) in (list, tuple):
        return type(value)(clone(item, device) for item in value)
    if type(value) is dict:
        return {key: clone(item, device) for key, item in value.items()}
    if isinstance(value, nn.Module):
        module = copy.deepcopy(value)
        return module if device is None else module.to(device)
    if isinstance(value, torch.Tensor):
        tensor = value.detach().clone()
        return tensor if device is None else tensor.to(device)
    if isinstance(value, (set, np.ndarray)):
        return value.copy()
    return value


def same_values(a: Any, b: Any) -> bool:
    """Whether two values agree to the last bit, NaN with NaN: as long, in the same order, of the same types."""
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and same_tensors(a, b)
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same_values(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(same_values(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, (set, str, bytes, int, float, complex, bool, type(None))):
        return type(a) is type(b) and (a == b or (a != a and b != b))
    return True


def same_tensors(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.layout is not torch.strided or a.device.type == "meta" or equal(a, b):
        return True
    if not (a.is_floating_point() or a.is_complex()):
        return False
    return equal(isnan(a), isnan(b)) and equal(_without_nan(a), _without_nan(b))


def _without_nan(values: torch.Tensor) -> torch.Tensor:
    return nan_to_num(values, nan=0.0, posinf=math.inf, neginf=-math.inf)


@dataclass(frozen=True)
class Change:
    """What is different after a call, and what that teaches."""

    what: str
    teach: str = COPY


@dataclass(frozen=True)
class Kept:
    """One value as it was before a call."""

    value: Any
    copied: Any
    """Equal to it at the time; None for a container, whose members are kept each."""
    members: "tuple[tuple[Any, Kept], ...] | None"
    """By key, attribute or position, in order; None for what has none."""
    form: tuple[Any, ...]
    """What a copy of the numbers does not show: strides, requires_grad and the gradient of a tensor."""


def keep(value: Any, copied: Any) -> Kept:
    """Remember a value, of which `copied` is a clone."""
    members = _members(value)
    if members is None:
        return Kept(value, copied, None, _form(value))
    copies = dict(_members(copied) or ())
    return Kept(value, None, tuple((key, keep(item, copies.get(key))) for key, item in members), ())


def find_change(before: Kept) -> Change | None:
    """What is different now; None where nothing is."""
    if before.members is None:
        return _find_leaf_change(before)
    now = _members(before.value) or ()
    if len(now) != len(before.members):
        return Change(f"it had {len(before.members)} items and has {len(now)}")
    if [key for key, _ in now] != [key for key, _ in before.members]:
        return Change("its keys are others, or in another order")
    for (key, item), (_, kept) in zip(now, before.members, strict=True):
        if item is not kept.value:
            return Change(f"its item {key!r} is another object")
        change = find_change(kept)
        if change is not None:
            return Change(f"in its item {key!r} {change.what}", change.teach)
    return None


def _members(value: Any) -> tuple[tuple[Any, Any], ...] | None:
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, (list, tuple)):
        return tuple(enumerate(value))
    if is_dataclass(value) and not isinstance(value, type):
        return tuple((field.name, getattr(value, field.name, None)) for field in fields(value))
    return None


def modules_in(value: Any) -> tuple[nn.Module, ...]:
    """A module, or those in lists, dictionaries and dataclasses."""
    if isinstance(value, nn.Module):
        return (value,)
    return tuple(module for _, item in _members(value) or () for module in modules_in(item))


def _find_leaf_change(before: Kept) -> Change | None:
    value = before.value
    if isinstance(value, nn.Module):
        return _find_module_change(before.copied, before.form, value)
    if isinstance(value, torch.Tensor):
        return _find_tensor_change(before)
    return None if same_values(before.copied, value) else Change("its values are others")


def _find_tensor_change(before: Kept) -> Change | None:
    value = before.value
    if not same_tensors(before.copied, value.detach()):
        return Change("its values are others")
    requires_grad, grad, retains, hooks, function = before.form
    if value.requires_grad != requires_grad:
        return Change(f"its requires_grad is {value.requires_grad} now", FLAG)
    if value.is_leaf and (grad[0] is not value.grad or not same_values(grad[1], clone(value.grad))):
        return Change("its .grad is another", GRAD)
    if value.retains_grad != retains:
        return Change("it retains a .grad now, which it did not before", GRAD)
    if len(value._backward_hooks or ()) != hooks:
        return Change(f"it had {hooks} hooks and has {len(value._backward_hooks or ())}", HOOK)
    if value.grad_fn is not function:
        return Change("it was cut out of its graph", "detach_() changes the tensor itself; detach() gives a new one.")
    return None


def _form(value: Any) -> tuple[Any, ...]:
    if isinstance(value, torch.Tensor):
        grad = value.grad if value.is_leaf else None
        function = value.grad_fn
        return value.requires_grad, (grad, clone(grad)), value.retains_grad, len(value._backward_hooks or ()), function
    if isinstance(value, nn.Module):
        return module_form(value)
    return ()


def module_form(module: nn.Module, gradients: bool = True) -> tuple[Any, ...]:
    """The modules below, by name and identity, with their mode and their hooks; the parameters with theirs."""
    parts = tuple((name, part, part.training, _hooks(part)) for name, part in module.named_modules())
    parameters = tuple(
        (name, one, one.requires_grad, *((one.grad, clone(one.grad)) if gradients else (None, None)))
        for name, one in module.named_parameters()
    )
    return parts, parameters


def _hooks(module: nn.Module) -> tuple[int, ...]:
    return tuple(len(getattr(module, name)) for name in HOOKS)


def _more_hooks(more: int) -> str:
    """Not how many: one of them may be ours, to see whether it is taken away."""
    if more == 0:
        return "other hooks than before"
    return f"{abs(more)} {'hook' if abs(more) == 1 else 'hooks'} {'more' if more > 0 else 'fewer'} than before"


def _find_module_change(copied: nn.Module, form: tuple[Any, ...], module: nn.Module) -> Change | None:
    return find_form_change(form, module) or _find_state_change(copied.state_dict(), module.state_dict())


def find_form_change(form: tuple[Any, ...], module: nn.Module, may: Collection[Aspect] = ()) -> Change | None:
    """What is different of a module, but for its numbers and what `may` be: layers, modes, hooks, flags, gradients."""
    parts, parameters = form
    replaced = OBJECTS if may else COPY
    if "layers" not in may and [(name, id(part)) for name, part, *_ in parts] != [
        (name, id(part)) for name, part in module.named_modules()
    ]:
        return Change("its layers are others", replaced)
    for name, part, training, hooks in parts:
        if "modes" not in may and part.training != training:
            return Change(f"{name or 'it'} is left in {'train' if part.training else 'eval'} mode", MODE)
        if "hooks" not in may and _hooks(part) != hooks:
            return Change(f"{name or 'it'} has {_more_hooks(sum(_hooks(part)) - sum(hooks))}", HOOK)
    now = [(name, id(one)) for name, one in module.named_parameters()]
    if "layers" not in may and [(name, id(one)) for name, one, *_ in parameters] != now:
        return Change("its parameters are others", replaced)
    for name, one, required, grad, kept in parameters:
        if "flags" not in may and one.requires_grad != required:
            return Change(f"requires_grad of its {name} is {one.requires_grad} now", FLAG)
        if "gradients" not in may and (one.grad is not grad or not same_values(kept, clone(grad))):
            return Change(f"the gradient of its {name} is another", GRAD)
    return None


@contextmanager
def put_to_use(hooked: Iterable[nn.Module], trained: Iterable[nn.Module]) -> Iterator[None]:
    """Give modules something to lose: a hook each, and a gradient of zeros where the first parameter has none.

    Who clears either would otherwise go unseen wherever a check hands over a new module. Neither changes a result.
    """
    handles = [module.register_forward_hook(pass_on) for module in hooked]
    firsts = [next((one for one in module.parameters() if one.requires_grad), None) for module in trained]
    planted = [one for one in firsts if one is not None and one.is_leaf and one.grad is None]
    with unheard():
        for one in planted:
            one.grad = zeros_like(one)
    try:
        yield
    finally:
        for one in planted:
            one.grad = None
        for handle in handles:
            handle.remove()


def pass_on(module: nn.Module, args: Any, output: Any) -> None:
    """The caller's own hook."""


def _find_state_change(before: Mapping[str, Any], now: Mapping[str, Any]) -> Change | None:
    if list(before) != list(now):
        return Change("its state dict has other keys")
    different = (name for name in before if not same_values(before[name], now[name]))
    name = next(different, None)
    return None if name is None else Change(f"the values of its {name} are others")


def modes() -> dict[str, Any]:
    """What torch is set to as a whole, and a caller counts on."""
    return {
        "default dtype": torch.get_default_dtype(),
        "default device": _default_device(),
        "gradient mode": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "autocast on the CPU": torch.is_autocast_enabled("cpu"),
        "number of threads": torch.get_num_threads(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "anomaly detection": torch.is_anomaly_enabled(),
        SEED: torch.default_generator.initial_seed(),
    }


def _default_device() -> torch.device:
    """Asked in the short way where nobody has set one: torch's own builds a function each time."""
    is_set = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is not None or any(
        isinstance(mode, DeviceContext)
        for mode in _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    )
    return torch.get_default_device() if is_set else CPU


def find_mode_change(before: Mapping[str, Any], may_seed: bool) -> str | None:
    """`left torch's gradient mode at False; it was True`."""
    for name, value in modes().items():
        if value != before[name] and not (may_seed and name == SEED):
            return f"left torch's {name} at {value}; it was {before[name]}"
    return None
