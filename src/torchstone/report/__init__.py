"""What people see: the terminal, pages and posts from run files. Nothing here imports torch.

`torchstone.report(run)` is public too, and has this room's name; importing any module in here binds the name to the
room. So the room itself can be called.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchstone.report.inline import Page, Source


class _Room(ModuleType):
    """A module that answers when it is called."""

    def __call__(self, *runs: "Source", title: str | None = None, beside_published: bool = False) -> "Page":
        """The page of one run or of several, shown inline by a notebook: a `Run`, a path, a URL or `last`."""
        from torchstone.report.inline import show

        return show(*runs, title=title, beside_published=beside_published)


sys.modules[__name__].__class__ = _Room
