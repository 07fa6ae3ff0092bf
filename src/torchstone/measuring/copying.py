"""Copies between two memories, prepared and checked: the call that is timed, and whether the bytes have arrived.

The memory on both sides exists before the clock starts, so the copy alone is timed and not its allocation. Checking
a copy wipes what has arrived: bytes that an earlier copy brought can't vouch for a later one that did nothing.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from torchstone.errors import first_line_of
from torchstone.processes import is_out_of_memory

Memory = Literal["pageable", "pinned"]
DTYPE = torch.float32
"""Every device has it; some have no bytes."""
BYTES_PER_ELEMENT = 4


class NoPinnedMemoryError(NotImplementedError):
    """The device offers no pinned memory; a NotImplementedError, which measurements call `unsupported`."""


@dataclass(frozen=True)
class Copying:
    """What is copied where."""

    size_bytes: int
    source: str
    """A device as torch names it; `cpu` is the host."""
    destination: str
    memory: Memory = "pageable"
    """Of the host's side."""
    blocking: bool = True
    pieces: int = 1


@dataclass
class Copier:
    """A call that copies, and what should then have arrived."""

    copying: Copying
    contents: list[Tensor]
    """On the host, to compare with."""
    sources: list[Tensor]
    destinations: list[Tensor]
    unchecked: bool = True
    """Whether there may be bytes that were not compared yet: a timing loop's last check can follow another at once."""

    def __call__(self) -> Tensor:
        """Copies all pieces; gives a tensor on the device, as reading one there waits for every copy before it."""
        self.unchecked = True
        for source, destination in zip(self.sources, self.destinations, strict=True):
            destination.copy_(source, non_blocking=not self.copying.blocking)
        return (self.sources if self.copying.destination == "cpu" else self.destinations)[-1]

    def disagreement(self, _: object = None) -> str | None:
        """What is wrong with the bytes that have arrived, or None; wipes them."""
        if not self.unchecked:
            return None
        self.unchecked = False
        arrived = zip(self.destinations, self.contents, strict=True)
        wrong = sum(not torch.equal(found.to("cpu"), wanted) for found, wanted in arrived)
        for destination in self.destinations:
            destination.zero_()
        return f"{wrong} of {len(self.contents)} pieces arrived with other contents" if wrong else None


def prepare(copying: Copying) -> Copier:
    """Both sides' memory, filled; raises what the device raises where it has no room or no pinned memory."""
    contents = _split(torch.arange(copying.size_bytes // BYTES_PER_ELEMENT, dtype=DTYPE), copying.pieces)
    sources = [_place(piece, copying.source, copying.memory) for piece in contents]
    empty = (torch.zeros_like(piece) for piece in contents)
    destinations = [_place(piece, copying.destination, copying.memory) for piece in empty]
    return Copier(copying, contents, sources, destinations)


def _split(whole: Tensor, pieces: int) -> list[Tensor]:
    """Pieces with memory of their own, as many small tensors have."""
    return [whole] if pieces == 1 else [piece.clone() for piece in whole.chunk(pieces)]


def _place(tensor: Tensor, device: str, memory: Memory) -> Tensor:
    if device != "cpu":
        return tensor.to(device)
    return pin(tensor) if memory == "pinned" else tensor


def pin(tensor: Tensor) -> Tensor:
    """The same contents in pinned memory."""
    try:
        pinned = tensor.pin_memory()
    except RuntimeError as error:
        if is_out_of_memory(error):
            raise
        raise NoPinnedMemoryError(f"no pinned memory here: {first_line_of(error)}") from None
    # Devices without it may give an ordinary copy and no error.
    if not pinned.is_pinned():
        raise NoPinnedMemoryError("no pinned memory here: pin_memory() gives ordinary memory")
    return pinned
