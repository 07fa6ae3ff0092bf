"""A person's own models: what was found of them."""

from torchstone.report.sections import Shown, View

TITLE = "Your own models"
ORDER = 110
KINDS = ("check", "preflight", "parity", "model")


def show(view: View) -> Shown | None:
    found = view.findings(*KINDS)
    return Shown([], findings=found) if found else None
