"""What a planted fault is: where it sits, when it shows, and how to see that it does."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import torch

import torchstone.pretend as pretend
from torchstone.pretend import Call, Fault, Knobs

Kind = Literal["wrong", "missing", "dtype", "crash", "hang"]
Condition = Callable[[Call], bool]
Program = Callable[[str], Any]
"""Takes a device and gives what it computed there: tensors, in any nesting."""
DEVICE = "pretend"
ATTENTION = "_scaled_dot_product_fused_attention_overrideable"
"""The one op that attention is on a device with a kernel of its own for it."""

# Thresholds that are too large to test at, and what stands for them here.
LIMIT_15_BIT = 128
"""For 32768."""
LIMIT_16_BIT = 256
"""For 65536."""
LIMIT_32_BIT = 4096
"""For 2**32, and for the 2**21 to 2**31 of other kernels."""


@dataclass(frozen=True)
class Plant:
    """One fault, which shows under its trigger only."""

    name: str
    classes: str
    """Letters of the classes of known silent faults: two letters need two conditions at once. Empty: plain."""
    op: str
    """As people call it, for example `linear`."""
    aten: tuple[str, ...]
    """As the device is called, for example `addmm`."""
    trigger: str
    """In words."""
    make_faults: Callable[[], Mapping[str, Fault]]
    """Fresh each time: a fault may remember earlier calls."""
    witness: Program
    """Meets the trigger: the device's answer is not the CPU's."""
    controls: tuple[Program, ...]
    """Each lacks a condition of the trigger: the device is right."""
    direction: Literal["forward", "backward"] = "forward"
    kind: Kind = "wrong"
    knobs: Mapping[str, Any] = field(default_factory=dict)
    """What else the device must be like."""
    dtypes: tuple[str, ...] = ()
    """The only dtypes in which it shows; empty: it does not depend on them alone."""

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The device with this fault, and as it was afterwards."""
        pretend.install()
        with pretend.configure(faults=self.make_faults(), **self.knobs):
            yield

    @contextmanager
    def unplanted(self) -> Iterator[None]:
        """The same device without the fault."""
        pretend.install()
        with pretend.configure(**{name: value for name, value in self.knobs.items() if name in KEPT_WITHOUT_FAULT}):
            yield

    def device_knobs(self) -> Knobs:
        """The same for a process of its own, which is given knobs at its start."""
        return knobs_together([self])


KEPT_WITHOUT_FAULT = ("fused_attention", "freed_blocks_kept")
"""What a right device has too; the other knobs of a plant are its fault."""


@contextmanager
def planted_together(plants: Iterable[Plant]) -> Iterator[None]:
    """The device with many faults at once."""
    pretend.install()
    before = pretend.knobs()
    pretend.set_knobs(knobs_together(plants))
    try:
        yield
    finally:
        pretend.set_knobs(before)


def knobs_together(plants: Iterable[Plant]) -> Knobs:
    """The knobs of many faults; no two may sit in the same op."""
    faults: dict[str, Fault] = {}
    changes: dict[str, Any] = {}
    for one in plants:
        made = one.make_faults()
        if faults.keys() & made.keys():
            raise ValueError(f"{one.name} sits where another fault does")
        faults.update(made)
        for name, value in one.knobs.items():
            changes[name] = changes.get(name, frozenset()) | value if isinstance(value, frozenset) else value
    return Knobs(faults=faults, **changes)


def plant(
    name: str,
    classes: str,
    op: str,
    aten: str,
    trigger: str,
    fault: Fault | Callable[[], Fault],
    witness: Program,
    *controls: Program,
    remembers: bool = False,
    direction: Literal["forward", "backward"] = "forward",
    **knobs: Any,
) -> Plant:
    """A fault in the ops of `aten` (separated by spaces); `remembers`: `fault` makes one with a fresh memory."""
    names = tuple(aten.split())

    def make_faults() -> Mapping[str, Fault]:
        chosen: Any = fault() if remembers else fault  # type: ignore[call-arg]
        return dict.fromkeys(names, chosen)

    return Plant(name, classes, op, names, trigger, make_faults, witness, controls, direction, knobs=knobs)


def spoil(damage: Fault, *conditions: Condition) -> Fault:
    """A fault that does `damage` to a call that meets all conditions."""

    def fault(call: Call) -> Any:
        return damage(call) if all(condition(call) for condition in conditions) else call.right()

    return fault


def draw(device: str, *shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Normal numbers, the same on every device."""
    generator = torch.Generator().manual_seed(seed + 1)
    return torch.randn(shape, generator=generator).to(dtype).to(device)


def leaf(device: str, *shape: int, seed: int = 0) -> torch.Tensor:
    """The same, for gradients."""
    return draw(device, *shape, seed=seed).requires_grad_()


def differentiate(result: torch.Tensor, *leaves: torch.Tensor, grad: torch.Tensor | None = None) -> list[torch.Tensor]:
    """The result's gradients, for a dense random gradient of it unless told."""
    chosen = draw(result.device.type, *result.shape, seed=99) if grad is None else grad
    return list(torch.autograd.grad(result, leaves, chosen))


def collect(value: Any) -> list[torch.Tensor]:
    """The tensors of an answer, on the host."""
    if isinstance(value, torch.Tensor):
        return [value.detach().cpu()]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in collect(item)]
    return [torch.tensor(value)]


def is_right(program: Program, device: str = DEVICE) -> bool:
    """Whether a program computes on the device what it does on the CPU."""
    expected, got = collect(program("cpu")), collect(program(device))
    return len(expected) == len(got) and all(map(_agree, expected, got))


def _agree(expected: torch.Tensor, got: torch.Tensor) -> bool:
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return False
    if not (expected.is_floating_point() or expected.is_complex()):
        return torch.equal(expected, got)
    # Ten roundings of the dtype, relative to the largest number.
    epsilon = torch.finfo(expected.dtype).eps * 10
    finite = expected[expected.isfinite()]
    largest = finite.abs().max().item() if finite.numel() else 0.0
    return torch.allclose(got, expected, rtol=epsilon, atol=epsilon * max(largest, math.ulp(0)), equal_nan=True)
