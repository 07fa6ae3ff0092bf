"""What a call in its own process may use, and how it ended: told in words and numbers, never as objects of its own."""

import errno
import traceback
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from torchstone.errors import UserError, message_of

Ending = Literal["returned", "raised", "timed_out", "out_of_memory", "exited", "killed"]

SERVER_ENDED = "ended the process that had started it"
OUTPUT_LIMIT_BYTES = 64 * 1024
"""What a call prints is kept up to here; a runaway print must not fill our memory."""
ANSWER_LIMIT_BYTES = 64 << 20
"""What a call may send back, a message or its answer: foreign code must not fill our memory either."""
MESSAGE_LIMIT = 2_000
"""Characters of an exception's message: some hold a whole tensor."""
TRACEBACK_LIMIT = 20_000
"""Characters; the end of a traceback is what says most."""
NOTES_LIMIT = 10
CUT = " …"
_MEMORY_WORDS = ("can't allocate memory", "cannot allocate memory", "out of memory", "not enough memory")


@dataclass(frozen=True)
class Limits:
    """What a call may use; a limit of None is no limit."""

    seconds: float = 600.0
    """From when its process has begun; `math.inf` for a worker whose time somebody else keeps."""
    memory_bytes: int | None = None
    """Beyond what the process holds when the call begins; enforced on Linux."""
    output_bytes: int = OUTPUT_LIMIT_BYTES
    answer_bytes: int = ANSWER_LIMIT_BYTES


class Raised(msgspec.Struct, frozen=True, kw_only=True):
    """An exception, told: its classes by name, what it says, where it came from."""

    kinds: tuple[str, ...]
    """The names of its class and of all that it inherits from, the most special first."""
    message: str
    traceback: str = ""
    notes: tuple[str, ...] = ()
    hint: str | None = None
    """Of a `UserError`."""

    def is_a(self, kind: type[BaseException]) -> bool:
        return _name_of(kind) in self.kinds

    @property
    def name(self) -> str:
        """Of its class, as a traceback's last line says it, without the module."""
        return self.kinds[0].rpartition(".")[2]


@dataclass(frozen=True)
class Outcome:
    """How a call in its own process ended."""

    ended: Ending
    value: Any = None
    """What it returned: builtins, or the type that was asked for with `returns=`."""
    error: Raised | None = None
    """What it raised."""
    detail: str = ""
    """The traceback, the signal or the exit code, in words."""
    output: str = ""
    output_cut: bool = False
    seconds: float = 0.0

    def raise_user_error(self) -> None:
        """Where the call ended with a `UserError`, raise it here too."""
        if self.error is not None and self.error.is_a(UserError):
            raise UserError(self.error.message, self.error.hint or "")


def tell_error(error: BaseException) -> Raised:
    """An exception in words, each of a bounded length, whatever its class does when it is asked for them."""
    notes = getattr(error, "__notes__", ())
    return Raised(
        kinds=tuple(_name_of(kind) for kind in type(error).__mro__ if kind is not object),
        message=cut(message_of(error)),
        traceback=_ask_for_traceback(error),
        notes=tuple(cut(str(note)) for note in notes[:NOTES_LIMIT]) if isinstance(notes, list) else (),
        hint=cut(error.hint) if isinstance(error, UserError) else None,
    )


def cut(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """At most so many characters."""
    return text if len(text) <= limit else text[: limit - len(CUT)] + CUT


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory ran out; torch's CPU allocator raises a plain RuntimeError for it."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"MemoryError", "OutOfMemoryError"}:
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    text = message_of(error).lower()
    return isinstance(error, RuntimeError) and any(words in text for words in _MEMORY_WORDS)


def _name_of(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _ask_for_traceback(error: BaseException) -> str:
    try:
        text = "".join(traceback.format_exception(error)).encode("utf-8", "replace").decode()
    except Exception:  # the same; there is nothing else to show then
        return f"{_name_of(type(error))}: (its traceback cannot be shown)"
    return text if len(text) <= TRACEBACK_LIMIT else "… " + text[-TRACEBACK_LIMIT:]
