"""Lazy modules, whose parameters get their sizes from the first input: a trace has them made without data, by the
module's own function, and puts them on the phantom before the module is called."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch._guards import detect_fake_mode
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import is_lazy
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map

from torchstone.checking import phantom

Hold = Callable[[Tensor, Any], None]


def follow_lazy(model: nn.Module, hold: Hold) -> None:
    """Have each lazy module of a model on the phantom get its sizes there. What it makes is held for weights: from the
    second step on it is there from the beginning."""
    for module in model.modules():
        if isinstance(module, LazyModuleMixin):
            module.register_forward_pre_hook(partial(_make, hold), prepend=True, with_kwargs=True)


def has_size(tensor: Tensor) -> bool:
    """Whether it is one already: a lazy module that was never called has none."""
    return not is_lazy(tensor)


def with_size(model: nn.Module) -> nn.Module:
    """What of a model has a size now: nothing else can be asked for its memory, or watched."""
    if all(map(has_size, (*model.parameters(), *model.buffers()))):
        return model
    held: nn.Module = nn.ParameterList(filter(has_size, model.parameters()))
    for number, buffer in enumerate(filter(has_size, model.buffers())):
        held.register_buffer(f"buffer_{number}", buffer)
    return held


def _make(hold: Hold, module: Any, args: Any, kwargs: Any) -> None:
    waiting = [name for name, one in (*module._parameters.items(), *module._buffers.items()) if is_lazy(one)]
    if not waiting:
        return
    mode: Any = detect_fake_mode()
    with _disable_current_modes():
        given = tree_map(_on_meta, (args, kwargs))
        module.initialize_parameters(*given[0], **given[1])
        with mode:
            phantom.place_of_module(module, waiting)
    for name in waiting:
        hold(getattr(module, name), "weights")


def _on_meta(leaf: Any) -> Any:
    if not isinstance(leaf, Tensor):
        return leaf
    return torch.empty_strided(leaf.shape, leaf.stride(), dtype=leaf.dtype, device="meta")
