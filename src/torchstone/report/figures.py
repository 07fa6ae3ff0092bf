"""A figure: a chart with a name of its own, a title that says what it shows, and words for who can't see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torchstone.report.cases import Row
from torchstone.report.charts.parts import Spec

Drawer = Callable[[Sequence[Row], str], Spec | None]


@dataclass(frozen=True)
class Figure:
    """One chart."""

    slug: str
    caption: str
    description: str
    spec: Spec
    note: str = ""
    """Under what conditions it holds."""


def draw(
    slug: str, caption: str, drawer: Drawer, rows: Sequence[Row], sentence: str = "", note: str = ""
) -> list[Figure]:
    """The figure, or none where there is nothing to draw."""
    description = f"{caption}. {sentence}".strip()
    spec = drawer(rows, description)
    return [] if spec is None else [Figure(slug, caption, description, spec)]
