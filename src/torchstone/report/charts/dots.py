"""A chart of what was measured: a dot with its interval, by place or setup."""

from collections.abc import Sequence

from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.charts.parts import MOST_MARKS, Spec, colour_by, drawable, frame, shape_like
from torchstone.report.names import work_of

_SECONDS: Spec = {
    "labelExpr": "datum.value >= 1 ? format(datum.value, '~g') + ' s' : datum.value >= 1e-3 ? "
    "format(datum.value * 1e3, '~g') + ' ms' : format(datum.value * 1e6, '~g') + ' µs'"
}


def dots_chart(rows: Sequence[Row], description: str, *, rate: bool = False) -> Spec | None:
    """One point a row with its interval, by place or setup, on a log scale; `rate` shows items a second."""
    points = drawable(point for row in rows if (point := _dot_point(row, rate)))[:MOST_MARKS]
    if not points:
        return None
    x = {
        "field": "value",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 24},
        "title": points[0]["axis"],
        "axis": {"tickCount": 6, "labelFlush": 24, **(_SECONDS if points[0]["unit"] == "s" else {"format": "~s"})},
    }
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    colour = colour_by("series", [point["series"] for point in points])
    tooltip = [{"field": name, "type": "nominal"} for name in ("label", "series", "shown", "interval")]
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "y": y,
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {
                "y": y,
                "x": x,
                "color": colour,
                "shape": shape_like(colour),
                "tooltip": tooltip,
            },
        },
    ]
    return {**frame(description, points, len({point["label"] for point in points}), 22), "layer": layers}


def _dot_point(row: Row, rate: bool) -> Spec | None:
    value = row.rate if rate else row.middle
    if not is_believable(row) or value is None or value <= 0 or row.middle is None:
        return None
    low, high = (row.low, row.high) if row.low and row.high and row.low > 0 else (row.middle, row.middle)
    scale = value * row.middle if rate else 1.0
    span = (scale / high, scale / low) if rate else (low, high)
    item, unit = row.measurement.facts.get("item") or "items", row.measurement.unit
    return {
        "label": work_of(row.measurement.name).words,
        "case": row.measurement.name,
        "series": place_words(row),
        "value": value,
        "low": span[0],
        "high": span[1],
        "axis": f"{item}/s (log scale)" if rate else f"{row.measurement.quantity}{_unit_words(unit)} (log scale)",
        "unit": f"{item}/s" if rate else unit,
        "shown": row.rate_words if rate else row.value_words,
        "interval": row.interval_words or "too few samples for one",
    }


def _unit_words(unit: str) -> str:
    """Seconds stand at each tick of the axis, in the unit that people would say them in."""
    return "" if unit == "s" else f", {unit}"
