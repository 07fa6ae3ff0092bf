"""What a notebook or a prompt calls: `torchstone.devices()` and `torchstone.tune()`, whose answers show themselves."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torchstone.backends import find_device, find_devices
from torchstone.records import Device
from torchstone.report.notebooks import devices_html
from torchstone.report.terminal import format_bytes

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.utils.data import DataLoader

    from torchstone.tuning import Answer


class Devices(tuple[Device, ...]):
    """A tuple of devices with a readable form."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(f"{one.id}: {one.vendor} {one.name}, {format_bytes(one.memory_bytes)}" for one in self)

    def _repr_html_(self) -> str:
        return devices_html(self)


def devices(device: str | None = None) -> Devices:
    """The devices of this machine; `device` brings in an out-of-tree one by name, such as `vulkan`."""
    if device is not None:
        find_device(device)
    return Devices(find_devices())


def tune(
    model: "nn.Module",
    args: "tuple[Any, ...] | Tensor | DataLoader[Any]",
    kwargs: dict[str, Any] | None = None,
    *,
    device: str | None = None,
    train: bool = False,
    objective: str = "latency",
    latency_bound_s: float | None = None,
    memory_bound_bytes: float | None = None,
    tolerance: float | None = None,
    budget_s: float = 120.0,
) -> "Answer":
    """The fastest right way to run `model(*args, **kwargs)` on this machine; `.code` is how."""
    from torch.utils.data import DataLoader

    from torchstone.models.inputs import Inputs
    from torchstone.models.loader import take_first_batch
    from torchstone.models.subject import own_subject
    from torchstone.tuning import Question, Wish
    from torchstone.tuning import tune as search

    loader = args if isinstance(args, DataLoader) else None
    if loader is not None:
        inputs = take_first_batch("the call", loader, model)
    else:
        inputs = Inputs(tuple(args) if isinstance(args, list | tuple) else (args,), dict(kwargs or {}))
    subject = replace(own_subject(model, inputs, type(model).__name__), loader=loader)
    asked = find_devices() if device is None else [find_device(name)[1] for name in ("cpu", device)]
    chosen = tuple({one.id: one for one in asked}.values())
    question = Question(objective, latency_bound_s, memory_bound_bytes)
    return search(Wish(subject.name, chosen, budget_s, None, train, question, tolerance, subject))
