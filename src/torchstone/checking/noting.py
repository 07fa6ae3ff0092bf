"""What a trace keeps of each distinct call while it goes on."""

from dataclasses import dataclass, field

import torch

from torchstone.checking.limits import Limit
from torchstone.checking.trace import Place, TracedCall

Key = tuple[str, tuple[str, ...], str, str, str]
"""Operator, dtypes, function, phase, line: eighty like layers are one call eighty times, told by the first of them."""
DISPATCH_KEYS = ("CPU", "CUDA", "MPS", "XPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd")


@dataclass
class Noted:
    """One distinct call; its fields are those of a `TracedCall`."""

    place: Place
    calls: int = 0
    modules: set[str] = field(default_factory=set)
    outputs: set[str] = field(default_factory=set)
    requested: set[str] = field(default_factory=set)
    bytes: int | None = None
    """None until its first call is over."""
    limit: str = ""
    advice: str = ""
    falls_back: bool = False
    doubt: str = ""
    part_of: str = ""
    handler: str = ""

    def hold(self, limit: Limit | None) -> None:
        """Keep what the device says to one of its calls; that it goes to the CPU gives way to that it raises."""
        if limit is not None and not (limit.falls_back and self.limit):
            self.limit, self.advice, self.falls_back = limit.words, limit.hint, limit.falls_back

    def tell(self, key: Key) -> TracedCall:
        """As a trace tells it."""
        op, inputs, within, _, _ = key
        return TracedCall(
            op=op,
            inputs=inputs,
            outputs=tuple(sorted(self.outputs)),
            requested=tuple(sorted(self.requested)),
            within=within,
            place=self.place,
            calls=self.calls,
            modules=len(self.modules),
            bytes=self.bytes or 0,
            limit=self.limit,
            advice=self.advice,
            falls_back=self.falls_back,
            doubt=self.doubt,
            kernels=_kernels(op),
            part_of=self.part_of,
            handler=self.handler,
        )


def _kernels(op: str) -> tuple[str, ...]:
    if op.startswith("aten::"):
        return ()
    return tuple(key for key in DISPATCH_KEYS if torch._C._dispatch_has_kernel_for_dispatch_key(op, key))
