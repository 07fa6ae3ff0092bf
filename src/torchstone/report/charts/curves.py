"""Charts with a line a setup: latency, load, leaks and accuracy."""

import math
from collections.abc import Sequence

from torchstone import stats
from torchstone.records import Measurement
from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.charts.parts import (
    MOST_LINES,
    MOST_MARKS,
    Spec,
    colour_by,
    drawable,
    frame,
    quantity,
    shape_like,
)
from torchstone.report.formatting import format_value
from torchstone.report.names import work_of

CURVE_POINTS = 80
LEAST_GROWTH_KIB = 64
"""What the axis of a leak shows at least: a flat line should look flat, and have a scale beside it."""
TAILS = (0.99, 0.95, 0.9, 0.75)
"""Percentiles that people know by name."""


def latency_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """The share of calls that were answered within a time: steep is steady, a long shoulder is a slow tail."""
    shown = [row for row in rows if row.measurement.unit == "s" and len(row.measurement.samples) >= 8][:MOST_LINES]
    points = drawable(point for row in shown for point in _distribution(row))
    if not points:
        return None
    encoding = {
        "x": {**quantity("milliseconds", "latency, ms (log scale)"), "scale": {"type": "log", "nice": False}},
        "y": {**quantity("share", "answered within"), "axis": {"format": "%"}},
        "color": colour_by("series", [point["series"] for point in points]),
        "strokeDash": {"field": "series", "type": "nominal", "legend": None},
        "tooltip": [{"field": name, "type": "nominal"} for name in ("series", "shown")],
    }
    mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2}
    return {**frame(description, points, None), "height": 260, "mark": mark, "encoding": encoding}


def _distribution(row: Row) -> list[Spec]:
    ordered = sorted(sample for sample in row.measurement.samples if sample > 0)
    count = len(ordered)
    shared = {"series": f"{pace_words(row)} · {place_words(row)}", "shown": with_tail(row)}
    positions = sorted({round(step / CURVE_POINTS * (count - 1)) for step in range(CURVE_POINTS + 1)}) if count else []
    return [{**shared, "milliseconds": ordered[at] * 1e3, "share": (at + 1) / count} for at in positions]


def pace_words(row: Row) -> str:
    """The model, its pace, and its batch where it has more than one."""
    work = work_of(row.measurement.name)
    pace = next((part.partition("=")[2] for part in work.special if part.startswith("latency=")), "")
    return f"{work.model_words}, {pace or 'hot'}" + (f", batch {work.batch}" if (work.batch or 1) > 1 else "")


def with_tail(row: Row) -> str:
    """The median, and the highest percentile that is known."""
    tail = tail_of(row.measurement)
    return f"{row.value_words}, {tail[0]} {format_value(tail[1], 's')}" if tail else row.value_words


def rate_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Latency over the rate of queries, with the bound that the 99th percentile must keep."""
    points = drawable(point for row in rows[:MOST_MARKS] for point in _rate_points(row))
    if not points:
        return None
    bound = next((row.measurement.facts.get("latency_bound_s") for row in rows), None)
    colour = colour_by("series", [point["series"] for point in points])
    y = {**quantity("milliseconds", "latency, ms (log scale)"), "scale": {"type": "log", "nice": False}}
    encoding = {
        "x": {
            **quantity("rate", "queries a second, scheduled"),
            "scale": {"zero": False, "nice": False, "padding": 20},
            "axis": {"format": ",~r", "tickCount": 8},
        },
        "y": y,
        "color": colour,
        "shape": shape_like(colour),
        "tooltip": [{"field": name, "type": "nominal"} for name in ("series", "shown", "verdict")],
    }
    layers: list[Spec] = [{"mark": {"type": "line", "point": {"size": 70}}, "encoding": encoding}]
    if isinstance(bound, float | int) and bound > 0:
        datum = [{"milliseconds": bound * 1e3, "text": f"bound {format_value(bound, 's')}"}]
        rule = {"mark": {"type": "rule", "strokeDash": [6, 4]}, "encoding": {"y": y}}
        words = {"mark": {"type": "text", "align": "right", "dy": -7, "x": "width"}}
        words["encoding"] = {"y": y, "text": {"field": "text", "type": "nominal"}}
        layers.append({"data": {"values": datum}, "layer": [rule, words]})
    return {**frame(description, points, None), "height": 260, "layer": layers}


def _rate_points(row: Row) -> list[Spec]:
    rate = row.measurement.facts.get("scheduled_rate")
    if not isinstance(rate, float | int) or not is_believable(row) or not row.middle or row.middle <= 0:
        return []
    points = [("median", row.middle)]
    tail = tail_of(row.measurement)
    if tail is not None and tail[1] > 0:
        points.append(tail)
    verdict = str(row.measurement.facts.get("verdict") or "")
    return [
        {
            "series": f"{'median' if name == 'median' else 'tail'} · {row.place}",
            "rate": rate,
            "milliseconds": value * 1e3,
            "shown": f"{name}: {format_value(value, 's')} at {rate:.4g} queries/s",
            "case": row.measurement.name,
            "verdict": verdict,
        }
        for name, value in points
    ]


def tail_of(one: Measurement) -> tuple[str, float] | None:
    """The 99th percentile, or the highest of those people know that so many samples support."""
    found = ((share, stats.percentile(one.samples, share).value) for share in TAILS)
    return next(((f"p{share * 100:.0f}", value) for share, value in found if value is not None), None)


def leak_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Memory above the first window, over calls: a flat line keeps nothing, a rising one leaks."""
    points = drawable(point for row in rows[:MOST_LINES] for point in _leak_points(row))
    if not points:
        return None
    encoding = {
        "x": {**quantity("calls", "calls"), "axis": {"format": "~s"}},
        "y": {
            **quantity("growth", "growth since the first window, KiB"),
            "scale": {"domain": _growth_domain(points)},
            "axis": {"format": "~s"},
        },
        "color": colour_by("series", [point["series"] for point in points]),
        "strokeDash": {"field": "series", "type": "nominal", "legend": None},
        "tooltip": [{"field": "series", "type": "nominal"}, {"field": "shown", "type": "nominal"}],
    }
    return {**frame(description, points, None), "height": 200, "mark": {"type": "line"}, "encoding": encoding}


def _leak_points(row: Row) -> list[Spec]:
    facts, floors = row.measurement.facts, row.measurement.samples
    calls = facts.get("calls_per_window")
    per_window = calls if isinstance(calls, int) and calls > 0 else 1
    step = max(1, math.ceil(len(floors) / CURVE_POINTS))
    series = f"{facts.get('series') or row.measurement.quantity}, {facts.get('phase') or ''}".strip(", ")
    last = len(floors) - 1
    grown = (
        f"{format_value(floors[last] - floors[0], 'bytes')} more after {last * per_window:,} calls" if floors else ""
    )
    shared = {"series": series, "shown": grown}
    return [
        {**shared, "calls": at * per_window, "growth": (floors[at] - floors[0]) / 1024}
        for at in range(0, last + 1, step)
    ]


def _growth_domain(points: Sequence[Spec]) -> list[float]:
    growths = [point["growth"] for point in points]
    return [min(0.0, *growths), max(float(LEAST_GROWTH_KIB), *growths)]


def accuracy_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Accuracy on the test images after each epoch."""
    points = drawable(
        {
            "series": f"{row.what} · {place_words(row)}",
            "epoch": number,
            "accuracy": accuracy,
            "shown": f"{accuracy:.1%}",
        }
        for row in rows[:MOST_LINES]
        for number, accuracy in enumerate(row.measurement.samples[:CURVE_POINTS], 1)
    )
    if not points:
        return None
    colour = colour_by("series", [point["series"] for point in points])
    encoding = {
        "x": {"field": "epoch", "type": "ordinal", "title": "epoch", "axis": {"labelAngle": 0}},
        "y": {**quantity("accuracy", "accuracy"), "scale": {"zero": False}, "axis": {"format": "%"}},
        "color": colour,
        "shape": shape_like(colour),
        "tooltip": [{"field": name, "type": "nominal"} for name in ("series", "shown")],
    }
    mark = {"type": "line", "point": {"size": 60}}
    return {**frame(description, points, None), "height": 220, "mark": mark, "encoding": encoding}
