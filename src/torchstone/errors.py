"""The one exception that a person may cause, and what any other has to say.

    Exception
    └── UserError          a mistake or a limit that a person can act on: shown as `error:` and `hint:`, exit code 2

Everything else that escapes is a bug and keeps its traceback.
"""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""All but a tab and the end of a line: what steers a terminal has no place in a message."""


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
    return _CONTROLS.sub("", text)


def one_line_of(error: BaseException) -> str:
    return " ".join(message_of(error).split())
