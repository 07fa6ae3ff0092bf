"""What MPS does not differentiate twice: operators of its own, in whose place a trace shows others that it does.

On the way back, autograd tells whose node is computing. What such a node calls while a graph is kept
(`create_graph=True`) makes nodes of a second kind; where one of those computes, MPS raises.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchstone.checking.limits import Limit
from torchstone.checking.places import next_number


class Once(NamedTuple):
    """An operator of the device with a first derivative only."""

    limit: Limit
    shown_by: str = ""
    """What its second derivative calls in a trace, and nothing else of the node does; empty for anything."""


ONCE = {
    "mps": {
        "aten::max_pool2d": Once(
            Limit(
                "aten::max_pool2d_backward",
                "max_pool2d with `return_indices=False` is not infinitely differentiable. If you want to calculate "
                "higher order derivatives, e.g. second order, set `return_indices=True`.",
                "nn.MaxPool2d(…, return_indices=True)(x)[0], which runs as max_pool2d_with_indices; it can be "
                "differentiated twice",
            ),
            "aten::gather",
        ),
        "lstm": Once(
            Limit(
                "aten::lstm_mps_backward",
                "derivative for lstm_mps_backward is not implemented",
                "nn.LSTMCell in a loop over the steps, which is made of operators that can be differentiated twice, "
                "or move its tensors to the CPU for this call: .cpu()",
            )
        ),
    }
}
"""By kind of device, and by the composite or the function of torch in whose place the device has an operator of its
own: those whose backward operator has no derivative in derivatives.yaml of 2.13, or one that only raises. Two more have
none, mps_convolution_transpose_backward and the attention without gradients, and no graph comes to them: `convolution`
has its own derivative, and attention goes there only where nothing is differentiated."""


@dataclass
class _Followed:
    """One call of such an operator."""

    limit: Limit
    shown_by: str
    is_told: bool = False


class SecondDerivatives:
    """Follows the calls of one step through autograd's sequence numbers: each node has one, and the newest is the
    highest."""

    def __init__(self, device: str) -> None:
        self._once = ONCE.get(device, {})
        self._newest = 0
        self._first: dict[int, _Followed] = {}
        self._second: dict[int, _Followed] = {}

    @contextlib.contextmanager
    def following(self, name: str) -> Iterator[None]:
        """Within, such an operator or function runs, if it is one."""
        once = self._once.get(name)
        begin = next_number()
        yield
        end = next_number()
        if once is not None and end > begin:
            self._first.update(dict.fromkeys(range(begin, end), _Followed(once.limit, once.shown_by)))
            self._newest = end - 1

    def refused(self, operator: str) -> Limit | None:
        """What the device would have said before this call, once for each followed one; ask of every call."""
        if not self._first:
            return None
        number, before = next_number() - 1, self._newest
        self._newest = max(number, before)
        node = torch._C._current_autograd_node()
        if node is None:
            return None
        current = node._sequence_nr()
        if number > before and current in self._first:  # autograd makes its node before it calls the kernel
            self._second[number] = self._first[current]
        found = self._second.get(current)
        if found is None or found.is_told or (found.shown_by and operator != found.shown_by):
            return None
        found.is_told = True
        return found.limit
