"""Autocast on the phantom: the same operators are cast to the same dtypes as on a real device.

torch leaves the casts of an out-of-tree device to that device. Which operators are cast how stands in a header of the
wheel, which torch's own devices share (ATen/autocast_mode.h), so it is read there.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from torchstone.checking import phantom

HEADER = Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
KEY = "AutocastPrivateUse1"
DTYPES = [torch.bfloat16, torch.float16]
"""What autocast may cast to, on any device."""
BELIEFS = {
    "cuda": (
        ("torch.cuda.amp.common", "amp_definitely_not_available", False),
        ("torch.cuda", "is_bf16_supported", True),
    )
}
"""By kind of device: what `torch.autocast` asks of it, and what it is to be told."""
_libraries: list[Any] = []
Cast = Callable[[Any, Any, Any], tuple[Any, Any]]


def install(kind: str) -> None:
    """Have `torch.autocast(kind)` cast on the phantom; once that is installed, and for good."""
    getattr(torch, phantom.NAME).get_amp_supported_dtype = lambda: DTYPES
    _register(HEADER.read_text(encoding="utf-8"))
    enter = torch.autocast.__enter__

    def enter_there(context: Any) -> Any:
        context.device = phantom.NAME if context.device == kind else context.device
        return enter(context)  # type: ignore[no-untyped-call]

    torch.autocast.__enter__ = enter_there  # type: ignore[method-assign]


def believe_in(kind: str) -> None:
    """Have `torch.autocast(kind)` take the device for granted: it asks torch's own functions, which know better."""
    for home, name, answer in BELIEFS.get(kind, ()):
        setattr(import_module(home), name, lambda *args, answer=answer: answer)


def read_policies(text: str) -> dict[str, tuple[str, ...]]:
    """The operators of each list in the header, by the list's name: `FP32`, `LOWER_PRECISION_FP`."""
    blocks = re.findall(r"#define AT_FORALL_(\w+)\(_\)((?:.*\\\n)+.*\n)", text)
    return {name: tuple(_operators_in(block)) for name, block in blocks}


def _operators_in(block: str) -> Iterator[str]:
    for base, overload in re.findall(r"\b_\((\w+)(?:, (\w+))?\)", block):
        yield f"{base}.{overload}" if overload else base
    yield from re.findall(r'"(\w+\.\w+)"', block)


def _register(text: str) -> None:
    rest = torch.library.Library("_", "IMPL", KEY)  # type: ignore[no-untyped-call]
    rest.fallback(torch.library.fallthrough_kernel)  # type: ignore[no-untyped-call]
    library = torch.library.Library("aten", "IMPL", KEY)  # type: ignore[no-untyped-call]
    _libraries.extend((rest, library))
    policies = read_policies(text)
    for name, cast in CASTS.items():
        for operator in policies.get(name, ()):
            found = phantom.find_operator(operator)
            if found is not None:
                library.impl(operator, partial(_call, found, cast))  # type: ignore[no-untyped-call]


def _call(operator: Any, cast: Cast, *args: Any, **kwargs: Any) -> Any:
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, KEY))
    with torch._C._ExcludeDispatchKeyGuard(keys):
        args, kwargs = cast(operator, args, kwargs)
        return operator(*args, **kwargs)


def _lower(operator: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    return _cast_to(torch.get_autocast_dtype(phantom.NAME), args, kwargs)


def _raise(operator: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    return _cast_to(torch.float32, args, kwargs)


def _promote(operator: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """To the widest that is given."""
    wide = any(_is_cast(one) and one.dtype is torch.float32 for one in tree_leaves((args, kwargs)))
    return _raise(operator, args, kwargs) if wide else _lower(operator, args, kwargs)


def _ask_for_float(operator: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """These take a dtype to compute in, and are asked for float32 where the person names none."""
    names = [one.name for one in operator._schema.arguments]
    place = names.index("dtype")
    is_given = kwargs.get("dtype") is not None or (len(args) > place and args[place] is not None)
    if is_given or not _is_cast(args[0]):
        return args, kwargs
    return args[:place], {**kwargs, "dtype": torch.float32}


def _cast_to(dtype: torch.dtype, args: Any, kwargs: Any) -> tuple[Any, Any]:
    cast: tuple[Any, Any] = tree_map(lambda leaf: leaf.to(dtype) if _is_cast(leaf) else leaf, (args, kwargs))
    return cast


def _is_cast(leaf: Any) -> bool:
    is_ours = isinstance(leaf, Tensor) and leaf.device.type == phantom.NAME
    return is_ours and leaf.is_floating_point() and leaf.dtype is not torch.float64


CASTS: dict[str, Cast] = {
    "LOWER_PRECISION_FP": _lower,
    "FP32": _raise,
    "FP32_SET_OPT_DTYPE": _ask_for_float,
    "DIFFERENT_REDISPATCH_SIGNATURE": _raise,
    "PROMOTE": _promote,
}
