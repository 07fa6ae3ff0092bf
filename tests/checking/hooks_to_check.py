"""Models whose way back runs code of a person's own: hooks on tensors, parameters and modules."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Hooked(nn.Module):
    def __init__(self, hook: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.inner, self.hook = nn.Linear(4, 4), hook

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.inner(x)
        if found.requires_grad:
            found.register_hook(self.hook)  # type: ignore[no-untyped-call]
        return found.sin()


class Held(nn.Module):
    """Holds a parameter besides, in a list: it moves with the model all the same."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.held = [self.inner.weight]

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.inner(x) + self.held[0].sum()
        return found


class Rescued(Hooked):
    """Catches what its own pass raises."""

    def forward(self, x: Tensor) -> Tensor:
        with torch.enable_grad():
            score = super().forward(x).sum()
            try:
                torch.autograd.grad(score, self.inner.weight, retain_graph=True)
            except TypeError:
                score = score.exp()
            return score.cos()


def _add_from_the_host(gradient: Tensor) -> Tensor:
    return gradient + torch.ones(4)  # adds from the host


def _read_array(gradient: Tensor) -> None:
    gradient.numpy()  # reads an array


def _raise(gradient: Tensor) -> None:
    raise ValueError("the hook is wrong")  # raises


def _read_accumulated(parameter: Tensor) -> None:
    assert parameter.grad is not None
    parameter.grad.numpy()  # reads what is accumulated


def _read_of_module(module: nn.Module, given: Any, came: Any) -> None:
    came[0].numpy()  # reads of a module


def _with(model: nn.Module) -> Any:
    return model, (torch.ones(2, 4),)


def tensor_mixed() -> Any:
    return _with(Hooked(_add_from_the_host))


def tensor_read() -> Any:
    return _with(Hooked(_read_array))


def tensor_raises() -> Any:
    return _with(Hooked(_raise))


def tensor_clamped() -> Any:
    return _with(Hooked(lambda gradient: gradient.clamp(-1, 1)))


def rescued() -> Any:
    return _with(Rescued(_read_array))


def parameter_mixed() -> Any:
    model = nn.Linear(4, 4)
    model.weight.register_hook(_add_from_the_host)  # type: ignore[no-untyped-call]
    return _with(model)


def parameter_read() -> Any:
    model = nn.Linear(4, 4)
    model.weight.register_post_accumulate_grad_hook(_read_accumulated)  # type: ignore[no-untyped-call]
    return _with(model)


def parameter_itself() -> Any:
    """The hook holds the parameter, which `model.to(device)` moves."""
    model = nn.Linear(4, 4)
    weight = model.weight
    weight.register_hook(lambda gradient: gradient + 0.1 * weight.detach())  # type: ignore[no-untyped-call]
    return _with(model)


def module_read() -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    model[0].register_full_backward_hook(_read_of_module)
    return _with(model)


def held() -> Any:
    return _with(Held())
