"""The one exception that a person may cause, and what any other has to say.

    Exception
    └── UserError          a mistake or a limit that a person can act on: shown as `error:` and `hint:`, exit code 2

Everything else that escapes is a bug and keeps its traceback.
"""

import re
from collections.abc import Iterable, Sequence

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])?")
"""Of a terminal: colours and cursor movements, titles and links, and a bare Escape."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but a tab and the end of a line: what steers a terminal has no place in a message."""

MOST_NAMES = 5
_ALIKE = 0.65
"""As difflib counts: `tow` is like `two`, and `relu` is not like `roll`, which helps nobody."""
_WORTH_FINDING = 3
"""Letters from which on a name that holds what was asked for is meant."""


class UserError(Exception):
    """Something the person using torchstone can mend; `hint` says how."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["UserError"], tuple[str, str]]:
        # Without this, pickling (to a fresh process and back) would lose the hint.
        return type(self), (self.message, self.hint)


def message_of(error: BaseException) -> str:
    """What an exception of anybody's says; its class may fail at that, and its words may hold anything."""
    try:
        # A lone surrogate (a file name that is no UTF-8) cannot be sent.
        text = str(error).encode("utf-8", "replace").decode()
    except Exception:
        return "(its message cannot be shown)"
    return without_controls(text)


def without_controls(text: str) -> str:
    """A foreign text without what steers a terminal: whole sequences, so that no `[96m` is left of a colour."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text))


def one_line_of(error: BaseException) -> str:
    return " ".join(message_of(error).split())


def first_line_of(error: BaseException) -> str:
    """With what kind of exception it is: a bare `3 is not in list` says nothing."""
    return named_line(type(error).__name__, message_of(error))


def named_line(name: str, message: str) -> str:
    """The first line of a message after the name of its exception; one that ends in a colon is told with the next."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    wanted = 2 if lines and lines[0].endswith(":") else 1
    return ": ".join((name, " ".join(lines[:wanted]))) if lines else name


def nearest_names(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """For `did you mean`: the names that resemble it, then those that hold it; none where it resembles nothing."""
    import difflib  # here, as `--help` needs none

    known = sorted(set(names))
    close = difflib.get_close_matches(wanted, known, most, _ALIKE)
    holding = [name for name in known if len(wanted) >= _WORTH_FINDING and wanted.lower() in name.lower()]
    return list(dict.fromkeys((*close, *holding)))[:most]


def spell_some(names: Sequence[str]) -> str:
    """The first of many."""
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
