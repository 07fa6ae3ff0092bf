"""What a trace tells: the calls of one step with where they come from, what had to be guessed, and what it holds."""

import msgspec

ASKS_DEVICE = "Tensor.device"
"""The guess of a program that asks for its device where the right one cannot be shown."""
NO_SIZE = "how many it gives depends on values, which a trace does not have"
PHASES = ("forward", "backward", "clipping", "optimizer")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where in a person's program something happens."""

    phase: str = "forward"
    module: str = ""
    """The path of the module whose code it is; empty for the model itself."""
    source: str = ""
    """`file.py:12`, the innermost line outside torch; empty where there is none."""

    def tell(self) -> str:
        """In the fewest words."""
        return self.source or self.module or "the model itself"


class TracedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One operator with the dtypes of its tensors, at one place."""

    op: str
    """`aten::add.Tensor`"""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    requested: tuple[str, ...] = ()
    """The dtypes that the call itself asks for."""
    within: str = ""
    """The function of torch that made it."""
    place: Place = Place()
    """Of the first of its calls."""
    calls: int = 1
    modules: int = 1
    """How many make it."""
    bytes: int = 0
    """Of all its tensors, in its first call."""
    limit: str = ""
    """What the device says to a call of these sizes and arguments."""
    advice: str = ""
    """What to do about that, where it is not the sizes."""
    falls_back: bool = False
    """Whether it goes to the CPU for that, instead of raising."""
    doubt: str = ""
    """What it likely says."""
    part_of: str = ""
    """The operator that it was seen in alone, which torch traces in one piece."""
    handler: str = ""
    """The line that may catch it where the device refuses it; empty where one of its calls has none."""
    kernels: tuple[str, ...] = ()
    """Of an operator that is not torch's own: the dispatch keys that it has kernels for."""


class Guess(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the program reads, and that a tensor without data does not have."""

    op: str
    place: Place
    reason: str = ""
    """Where it is another than the want of a value."""


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """Why a trace did not come to its end, and where."""

    kind: str
    message: str
    place: Place
    hint: str = ""
    """What to do about it, where that is known."""
    is_refused: bool = False
    """Whether it is known that every device of the kind stops here."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a model on a device that is not here."""

    calls: tuple[TracedCall, ...] = ()
    guesses: tuple[Guess, ...] = ()
    stop: Stop | None = None
    parameters: int = 0
    weights_bytes: int = 0
    peak_bytes: int | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
