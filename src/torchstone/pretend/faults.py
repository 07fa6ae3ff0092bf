"""Faults of a person's own making: what an op does instead, under whatever condition.

The knob `faults` gives an op a function that is called in the kernel's place, with the call as the device sees it:
the arguments are CPU tensors over the device's bytes, with the same strides, offsets, dtypes and lazy conjugations.
It may look at them, change the answer, forget an argument, remember an earlier call, abort or never return.

    def drop_nan(call: Call) -> Any:
        return torch.fmax(*call.args)

    with pretend.configure(faults={"maximum": drop_nan}):
        ...
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call of an op on the device."""

    op: str
    """The complete name, as `aten::add.Tensor`."""
    args: list[Any]
    """The positional arguments, on the host."""
    kwargs: dict[str, Any]
    """The others, on the host."""
    given: tuple[Any, ...]
    """The positional arguments as they came: a copy has one side on the device, and one of the host's own."""
    written: tuple[Any, ...]
    """What an in-place or `out=` op writes to: a fault must write there, and what it returns is not used."""
    kernel: Callable[..., Any]
    """The right kernel, on the host."""

    def right(self) -> Any:
        """The right answer."""
        return self.kernel(*self.args, **self.kwargs)


Fault = Callable[[Call], Any]
"""Gives the answer of a call, as the kernel would: on the host, and in place where the op is in place."""
