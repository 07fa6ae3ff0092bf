"""`ts.report(run)`: the page as an object that a notebook shows inline, and that can be kept as a file.

The page stands in a frame of its own (`srcdoc`), sandboxed: its scripts run, but reach nothing of the notebook.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from torchstone.errors import UserError
from torchstone.files import write_whole
from torchstone.records import Run
from torchstone.report.cards import slug
from torchstone.report.cleaning import clean_run, clean_text
from torchstone.report.page import headline, make_view, render_page
from torchstone.report.sources import LONGEST_LABEL, Machine, number_machines, read_machine

HEIGHT = 800
Source = Run | str | Path


@dataclass(frozen=True)
class Page:
    """One self-contained page."""

    html: str = field(repr=False)
    headline: str

    def save(self, path: str | Path) -> Path:
        """Keep it as a file that any browser opens."""
        target = Path(path)
        write_whole(target, self.html.encode("utf-8"))
        return target

    def __repr__(self) -> str:
        size = f"{len(self.html) / 1e6:.1f} MB"
        return f"{self.headline}\n(a page of {size}: a notebook shows it, .save('report.html') keeps it)"

    def _repr_html_(self) -> str:
        frame = "width:100%;border:1px solid #8884;border-radius:8px"
        rights = "allow-scripts allow-downloads allow-popups"
        return (
            f'<iframe title="{escape(self.headline)}" sandbox="{rights}" style="{frame}" height="{HEIGHT}" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def show(*runs: Source, title: str | None = None, beside_published: bool = False) -> Page:
    """The page of one run or of several: a `Run`, a path, a URL or `last`."""
    if not runs:
        raise UserError("which run?", "give what ts.load_run() returned, a path, or 'last'")
    machines = number_machines([_machine(one) for one in runs])
    view = make_view(machines, beside_published)
    return Page(render_page(machines, None, title, beside_published), title or headline(view))


def _machine(source: Source) -> Machine:
    if not isinstance(source, Run):
        return read_machine(str(source))
    run = clean_run(source)
    return Machine(clean_text(run.environment.chip or run.id, LONGEST_LABEL) or "machine", f"{slug(run.id)}.jsonl", run)
