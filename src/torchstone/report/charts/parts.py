"""What every chart has: its frame, its axes, its colours.

Field names and titles are ours; what a run file says stands only in the data, where Vega evaluates nothing. Colours
are Okabe and Ito's, which people with every kind of colour vision can tell apart; shape or place says the same again.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

Spec = dict[str, Any]
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7F00", "#767676")
REST = "#4A4A4A"
"""Of series beyond the palette, whose names stand beside them: colours never repeat."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""A name for the version; nothing is fetched."""
MOST_MARKS = 48
MOST_LINES = 12


def frame(description: str, points: Sequence[Spec], rows: int | None, step: int = 0) -> Spec:
    """What every chart has; one of rows says how many: on a phone each has its label above it, and needs the room."""
    frame: Spec = {"$schema": SCHEMA, "description": description, "width": 760, "data": {"values": points}}
    if rows is not None:
        frame |= {"height": rows * step, "usermeta": {"rows": rows}}
    return {**frame, "autosize": {"type": "fit-x", "contains": "padding"}}


def drawable(points: Iterable[Spec]) -> list[Spec]:
    """Samples are finite, but what is computed from them may not be: such a point has no place on a chart."""
    return [point for point in points if all(math.isfinite(one) for one in point.values() if isinstance(one, float))]


def quantity(field: str, title: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": title}


def colour_by(field: str, values: Sequence[str]) -> Spec:
    names = list(dict.fromkeys(values))
    colours = [PALETTE[position] if position < len(PALETTE) else REST for position in range(len(names))]
    return {"field": field, "type": "nominal", "scale": {"domain": names, "range": colours}, "legend": legend()}


def shape_like(colour: Spec) -> Spec:
    """The same names as the colours, so that both share one legend."""
    return {
        "field": colour["field"],
        "type": "nominal",
        "scale": {"domain": colour["scale"]["domain"]},
        "legend": legend(),
    }


def legend() -> Spec:
    return {"orient": "top", "title": None, "columns": 1, "labelLimit": 340}
