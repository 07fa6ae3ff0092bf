"""Operators: which work on a device, and what is wrong with the others."""

from torchstone.report.sections import Shown, View

TITLE = "Operators"
ORDER = 100
KINDS = ("operator", "op", "ops", "atlas")


def show(view: View) -> Shown | None:
    found = view.findings(*KINDS)
    return Shown([], findings=found) if found else None
