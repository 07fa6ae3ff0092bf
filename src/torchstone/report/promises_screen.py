"""A device's promises on the screen: what was kept, what was broken, and what follows from that."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchstone.records import Finding

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {"kept": "green", "broken": "bold red", "untested": "yellow", "not offered": "dim"}


def promises_table(title: str, findings: Sequence[Finding]) -> "RenderableType":
    """One row a promise; what a broken one means stands below its evidence."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left")
    for heading in ("promise", "", "what was seen"):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        seen = finding.evidence if finding.hint is None else f"{finding.evidence}\n→ {finding.hint}"
        table.add_row(finding.subject, Text(finding.verdict, style=STYLES.get(finding.verdict, "")), Text(seen))
    return table
