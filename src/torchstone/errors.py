"""The one exception that a person may cause.

    Exception
    └── UserError          a mistake or a limit that a person can act on: shown as `error:` and `hint:`, exit code 2

Everything else that escapes is a bug and keeps its traceback.
"""


class UserError(Exception):
    """Something the person using torchstone can mend; `hint` says how."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["UserError"], tuple[str, str]]:
        # Without this, pickling (to a fresh process and back) would lose the hint.
        return type(self), (self.message, self.hint)
