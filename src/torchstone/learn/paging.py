"""A screenful of text: what does not fit is scrolled, and the last lines always stay.

Text is made whole first, as lines with their colours, so that the screen does not flicker and a terminal of any size,
40×10 too, shows the line of keys.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

SMALLEST_BODY = 3


class Page:
    """Lines above, a few fixed ones below."""

    def __init__(self, console: "Console") -> None:
        self.console = console
        self.lines: list[str] = []
        self.foot: list[str] = []
        self.top = 0

    def fill(self, write: "Callable[[Console], None]", top: int = 0) -> None:
        """Take what `write` prints as the body, and begin to show it at its line `top`."""
        self.lines = self.render(write)
        self.top = top
        self._stay_inside()

    def set_foot(self, write: "Callable[[Console], None]") -> None:
        self.foot = self.render(write)
        self._stay_inside()

    def scroll(self, by: int) -> None:
        self.top += by
        self._stay_inside()

    def page(self, direction: int) -> None:
        self.scroll(direction * max(1, self.room - 1))

    @property
    def room(self) -> int:
        """How many lines of the body fit."""
        return max(SMALLEST_BODY, self.console.height - len(self.foot) - 2)

    def show(self) -> None:
        """Put it on the screen, in one piece."""
        from rich.control import Control
        from rich.segment import ControlType

        shown = self.lines[self.top : self.top + self.room]
        below = len(self.lines) - self.top - len(shown)
        more = self._tell_more(self.top, below)
        self.console.control(Control(ControlType.HOME, ControlType.CLEAR))
        text = "\n".join([*shown, *([more] if more else []), *self.foot])
        self.console.out(text, highlight=False)

    def _tell_more(self, above: int, below: int) -> str:
        if above == below == 0:
            return ""
        parts = [f"↑ {above}"] if above else []
        parts += [f"↓ {below} more"] if below else []
        return f"\x1b[90m── {' · '.join(parts)} lines: ↑ ↓ or space ──\x1b[0m"

    def render(self, write: "Callable[[Console], None]") -> list[str]:
        """The lines that `write` prints."""
        with self.console.capture() as captured:
            write(self.console)
        text = captured.get().rstrip("\n")
        return text.split("\n") if text else []

    def _stay_inside(self) -> None:
        self.top = max(0, min(self.top, len(self.lines) - self.room))
