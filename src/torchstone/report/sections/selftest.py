"""How small a change this machine can tell: the same code against itself, and against a planted change."""

from torchstone.report.sections import Shown, View

TITLE = "How small a change can be told"
ORDER = 120
KINDS = ("selftest",)


def show(view: View) -> Shown | None:
    found = view.findings(*KINDS)
    return Shown([], findings=found) if found else None
