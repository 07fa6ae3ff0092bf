"""The model inside a wrapping that hides its calls, or a sentence on why there is none to be seen."""

import torch
from torch import nn

from torchstone.errors import UserError


def unwrap(model: nn.Module) -> tuple[nn.Module, tuple[str, ...]]:
    """The model as eager code, and what was taken off it."""
    notes: list[str] = []
    while True:
        inner = _inner(model)
        if inner is None:
            break
        notes.append(f"checked without {type(model).__name__}, which only wraps it")
        model = inner
    scripted = next((name or "the model" for name, one in model.named_modules() if _is_scripted(one)), None)
    if scripted is not None:
        raise UserError(
            f"{scripted} is scripted (torch.jit): its lines and calls cannot be followed",
            "give the model as it is before torch.jit.script or torch.jit.trace",
        )
    for module in model.modules():
        if getattr(module, "_compiled_call_impl", None) is not None:  # module.compile()
            module._compiled_call_impl = None
            notes.append(f"checked without torch.compile of {type(module).__name__}")
    return model, tuple(dict.fromkeys(notes))


def _inner(model: nn.Module) -> nn.Module | None:
    for name, attribute in (
        ("OptimizedModule", "_orig_mod"),
        ("DataParallel", "module"),
        ("DistributedDataParallel", "module"),
    ):
        found = getattr(model, attribute, None) if type(model).__name__ == name else None
        if isinstance(found, nn.Module):
            return found
    return None


def _is_scripted(module: nn.Module) -> bool:
    return isinstance(module, torch.jit.ScriptModule)
