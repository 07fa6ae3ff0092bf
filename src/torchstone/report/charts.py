"""Vega-Lite specifications: one for the interactive chart in the page and for the picture in the post.

Field names and titles are ours; what a run file says stands only in the data, where Vega evaluates nothing. Colours
are Okabe and Ito's, which people with every kind of colour vision can tell apart; shape or place says the same again.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from torchstone import stats
from torchstone.records import Measurement
from torchstone.report.cases import Row, is_believable, reference_of
from torchstone.report.formatting import format_rate, format_times, format_value
from torchstone.report.names import EVALUATION, TRAINING, work_of
from torchstone.report.standings import Bar, Best

Spec = dict[str, Any]
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7F00", "#767676")
FASTER, SLOWER, UNCLEAR, TOO_FEW = "faster", "slower", "too close to call", "too few samples"
REST = "#4A4A4A"
"""Of series beyond the palette, whose names stand beside them: colours never repeat."""
SIDES = {FASTER: "#0072B2", SLOWER: "#D55E00", UNCLEAR: "#767676", TOO_FEW: "#B3B3B3"}
STAGES = (TRAINING, EVALUATION)
MOST_MARKS = 48
MOST_LINES = 12
CURVE_POINTS = 80
PICTURE_COLUMNS, PICTURE_CELL, PICTURE_SIDE, PICTURE_LINE = 4, 190, 90, 16
"""Pixels; a cell holds two pictures side by side."""
PICTURE_ROW = PICTURE_SIDE + 4 * PICTURE_LINE
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""A name for the version; nothing is fetched."""

_SECONDS: Spec = {
    "labelExpr": "datum.value >= 1 ? format(datum.value, '~g') + ' s' : datum.value >= 1e-3 ? "
    "format(datum.value * 1e3, '~g') + ' ms' : format(datum.value * 1e6, '~g') + ' µs'"
}
LEAST_GROWTH_KIB = 64
"""What the axis of a leak shows at least: a flat line should look flat, and have a scale beside it."""


def side_of(row: Row) -> str:
    """Which side of the baseline a row lies on, as it was declared; or why that is not known."""
    found = row.speedup
    if found is None or found.has_too_few_samples:
        return TOO_FEW
    return {"faster": FASTER, "slower": SLOWER}.get(found.verdict, UNCLEAR)


def speedup_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """A dot a setup on a log axis, with its interval: right of 1× is faster. Undecided ones are hollow or crossed."""
    points = [point for point in _drawable(map(_speedup_point, _extremes(rows))) if point["low"] > 0]
    if not points:
        return None
    least, most = min(point["low"] for point in points), max(point["high"] for point in points)
    x = {
        "field": "ratio",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [min(least, 0.8) / 1.2, max(most, 1.25) * 1.6]},
        "title": f"times as fast as {reference_of(rows)} (log scale)",
        "axis": {"format": "~g", "tickCount": 6},
    }
    y: Spec = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    y["axis"]["labelExpr"] = "split(datum.value, '\\n')"  # the setup on a line of its own
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(SIDES), "range": list(SIDES.values())},
        "legend": _legend(),
    }
    shape = {**colour, "scale": {"domain": list(SIDES), "range": ["circle", "circle", "diamond", "cross"]}}
    tooltip = [{"field": name, "type": "nominal"} for name in ("case", "how", "times", "interval", "side")]
    layers: list[Spec] = [
        {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": {"x": {"datum": 1}}},
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {"y": y, "x": x, "color": colour, "shape": shape, "tooltip": tooltip},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 8},
            "encoding": {"y": y, "x": {**x, "field": "high"}, "text": {"field": "times", "type": "nominal"}},
        },
    ]
    return {**_frame(description, points, len({point["label"] for point in points}), 36), "layer": layers}


def bars_chart(bars: Sequence[Bar], description: str) -> Spec | None:
    """The graph of 2022: training beside evaluation, times as fast as the CPU. Bars begin at nothing; where they span
    more than a decade they are dots on a log axis."""
    points = _drawable(map(_bar_point, bars))
    if not points:
        return None
    times = [point["times"] for point in points]
    is_wide = max(*times, 1.0) > 10 * min(times)
    scale: Spec = {"type": "log"} if is_wide else {"zero": True, "domainMin": 0}
    against = "the CPU's plain float32" if all(bar.device == "cpu" for bar in bars) else "the CPU"
    x = {**_quantity("times", f"times as fast as {against}{' (log scale)' if is_wide else ''}"), "scale": scale}
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 220}}
    colour = {"field": "stage", "type": "nominal", "legend": None, "scale": _stage_colours()}
    mark = {"type": "point", "filled": True, "size": 110, "opacity": 1} if is_wide else {"type": "bar", "height": 20}
    tooltip = [{"field": name, "type": "nominal"} for name in ("label", "stage", "shown", "rates", "how")]
    layers: list[Spec] = [
        {"mark": mark, "encoding": {"y": y, "x": x, "color": colour, "tooltip": tooltip}},
        {
            "mark": {"type": "text", "align": "left", "dx": 8, "fontWeight": "bold"},
            "encoding": {"y": y, "x": x, "text": {"field": "shown", "type": "nominal"}},
        },
        {"mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": {"x": {"datum": 1}}},
    ]
    header = {"title": None, "labelFontSize": 14, "labelFontWeight": "bold", "labelAnchor": "start"}
    count = len({point["label"] for point in points})
    inner: Spec = {"layer": layers, "height": 34 * count, "width": 300}
    facet = {"column": {"field": "stage", "type": "nominal", "header": header, "sort": list(STAGES)}}
    frame = {"$schema": _SCHEMA, "description": description, "data": {"values": points}}
    return {**frame, "facet": facet, "spec": inner, "usermeta": {"fixed": True}}


def _stage_colours() -> Spec:
    return {"domain": list(STAGES), "range": [PALETTE[0], PALETTE[5]]}


def _bar_point(bar: Bar) -> Spec:
    batch = f", batch {bar.batch}" if bar.batch is not None else ""
    rates = [format_rate(rate, bar.item, 1.0) for rate in (bar.rate, bar.cpu_rate) if rate is not None]
    return {
        "label": f"{bar.model}{batch}",
        "stage": bar.stage,
        "times": bar.times,
        "shown": format_times(bar.times) + ("" if bar.verdict != "unclear" else " ?"),
        "rates": f"{rates[0]}, CPU {rates[1]}" if len(rates) > 1 else "",
        "how": f"{bar.how or 'plain'} against the CPU's {bar.against or 'plain float32'}",
    }


def rates_chart(named: Sequence[tuple[str, Best]], description: str) -> Spec | None:
    """Items a second, one colour a machine; what only one machine did is left to the tables."""
    points = _drawable(_rate_point(label, best) for label, best in named if best.rate)
    machines = {label: {point["label"] for point in points if point["machine"] == label} for label, _ in named}
    shared = [point for point in points if sum(point["label"] in found for found in machines.values()) > 1]
    if not shared:
        return None
    count = len({point["label"] for point in shared})
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    offset = {"field": "machine", "type": "nominal", "sort": None}
    x = {**_quantity("rate", "items a second"), "axis": {"format": "~s"}}
    colour = _colour("machine", [point["machine"] for point in shared])
    tooltip = [{"field": name, "type": "nominal"} for name in ("machine", "label", "shown", "how")]
    text = {"type": "text", "align": "left", "dx": 6}
    layers: list[Spec] = [
        {"mark": {"type": "bar"}, "encoding": {"y": y, "yOffset": offset, "x": x, "color": colour, "tooltip": tooltip}},
        {"mark": text, "encoding": {"y": y, "yOffset": offset, "x": x, "text": {"field": "shown", "type": "nominal"}}},
    ]
    return {**_frame(description, shared, count, 24 * len(machines)), "layer": layers}


def _rate_point(label: str, best: Best) -> Spec:
    shown = format_rate(best.rate or 0.0, best.item, 1.0)
    how = f"{best.device} {best.how}".strip()
    return {"machine": label, "label": best.work.words, "rate": best.rate, "shown": f"{shown}, {how}", "how": how}


def batch_chart(bars: Sequence[Bar], description: str) -> Spec | None:
    """Times as fast as the CPU over the batch, a line a model, named at its end."""
    lines: dict[str, list[Bar]] = {}
    for bar in sorted((bar for bar in bars if bar.batch), key=lambda bar: bar.batch or 0):
        lines.setdefault(f"{bar.model} {bar.stage}", []).append(bar)
    # One point is no curve, and colours never repeat.
    curves = [(name, line) for name, line in lines.items() if len({bar.batch for bar in line}) > 1][: len(PALETTE)]
    points = _drawable(_batch_point(name, bar, bar is line[-1]) for name, line in curves for bar in line)
    if not points:
        return None
    colour = {**_colour("series", [point["series"] for point in points]), "legend": None}
    x = {**_quantity("batch", "batch (log scale)"), "scale": {"type": "log", "base": 2, "padding": 30}}
    y = {**_quantity("times", "times as fast as the CPU (log scale)"), "scale": {"type": "log", "padding": 24}}
    y["axis"] = {"format": "~g", "tickCount": 6}
    tooltip = [{"field": name, "type": "nominal"} for name in ("series", "batch", "shown", "verdict")]
    line = {"type": "line", "strokeWidth": 2, "point": {"size": 70}}
    layers: list[Spec] = [
        {"mark": line, "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip}},
        {
            "mark": {"type": "text", "align": "right", "dy": -12},
            "encoding": {"x": x, "y": y, "text": {"field": "end", "type": "nominal"}, "color": colour},
        },
        {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": {"y": {"datum": 1}}},
    ]
    return {**_frame(description, points, None), "height": 260, "layer": layers}


def _batch_point(series: str, bar: Bar, is_last: bool) -> Spec:
    shown = format_times(bar.times)
    end = series if is_last else ""
    return {
        "series": series,
        "batch": bar.batch,
        "times": bar.times,
        "shown": shown,
        "verdict": bar.verdict,
        "end": end,
    }


def dots_chart(rows: Sequence[Row], description: str, *, rate: bool = False) -> Spec | None:
    """One point a row with its interval, by place or setup, on a log scale; `rate` shows items a second."""
    points = _drawable(point for row in rows if (point := _dot_point(row, rate)))[:MOST_MARKS]
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
    colour = _colour("series", [point["series"] for point in points])
    tooltip = [{"field": name, "type": "nominal"} for name in ("case", "series", "shown", "interval")]
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
                "shape": _shape(colour),
                "tooltip": tooltip,
            },
        },
    ]
    return {**_frame(description, points, len({point["label"] for point in points}), 22), "layer": layers}


def latency_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """The share of calls that were answered within a time: steep is steady, a long shoulder is a slow tail."""
    shown = [row for row in rows if row.measurement.unit == "s" and len(row.measurement.samples) >= 8][:MOST_LINES]
    points = _drawable(point for row in shown for point in _distribution(row))
    if not points:
        return None
    encoding = {
        "x": {**_quantity("milliseconds", "latency, ms (log scale)"), "scale": {"type": "log", "nice": False}},
        "y": {**_quantity("share", "answered within"), "axis": {"format": "%"}},
        "color": _colour("series", [point["series"] for point in points]),
        "strokeDash": {"field": "series", "type": "nominal", "legend": None},
        "tooltip": [{"field": "series", "type": "nominal"}, {"field": "milliseconds", "format": ".3~f"}],
    }
    mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2}
    return {**_frame(description, points, None), "height": 260, "mark": mark, "encoding": encoding}


def rate_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Latency over the rate of queries, with the bound that the 99th percentile must keep."""
    points = _drawable(point for row in rows[:MOST_MARKS] for point in _rate_points(row))
    if not points:
        return None
    bound = next((row.measurement.facts.get("latency_bound_s") for row in rows), None)
    colour = _colour("series", [point["series"] for point in points])
    y = {**_quantity("milliseconds", "latency, ms (log scale)"), "scale": {"type": "log", "nice": False}}
    encoding = {
        "x": {
            **_quantity("rate", "queries a second, scheduled"),
            "scale": {"zero": False, "nice": False, "padding": 20},
            "axis": {"format": ",~r", "tickCount": 8},
        },
        "y": y,
        "color": colour,
        "shape": _shape(colour),
        "tooltip": [{"field": name, "type": "nominal"} for name in ("series", "shown", "case", "verdict")],
    }
    layers: list[Spec] = [{"mark": {"type": "line", "point": {"size": 70}}, "encoding": encoding}]
    if isinstance(bound, float | int) and bound > 0:
        datum = [{"milliseconds": bound * 1e3, "text": f"bound {format_value(bound, 's')}"}]
        rule = {"mark": {"type": "rule", "strokeDash": [6, 4]}, "encoding": {"y": y}}
        words = {"mark": {"type": "text", "align": "right", "dy": -7, "x": "width"}}
        words["encoding"] = {"y": y, "text": {"field": "text", "type": "nominal"}}
        layers.append({"data": {"values": datum}, "layer": [rule, words]})
    return {**_frame(description, points, None), "height": 260, "layer": layers}


def leak_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Memory above the first window, over calls: a flat line keeps nothing, a rising one leaks."""
    points = _drawable(point for row in rows[:MOST_LINES] for point in _leak_points(row))
    if not points:
        return None
    encoding = {
        "x": {**_quantity("calls", "calls"), "axis": {"format": "~s"}},
        "y": {
            **_quantity("growth", "growth since the first window, KiB"),
            "scale": {"domain": _growth_domain(points)},
            "axis": {"format": "~s"},
        },
        "color": _colour("series", [point["series"] for point in points]),
        "strokeDash": {"field": "series", "type": "nominal", "legend": None},
        "tooltip": [{"field": "series", "type": "nominal"}, {"field": "shown", "type": "nominal"}],
    }
    return {**_frame(description, points, None), "height": 200, "mark": {"type": "line"}, "encoding": encoding}


def accuracy_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """Accuracy on the test images after each epoch."""
    points = _drawable(
        {"series": f"{row.what} · {place_words(row)}", "epoch": number, "accuracy": accuracy}
        for row in rows[:MOST_LINES]
        for number, accuracy in enumerate(row.measurement.samples[:CURVE_POINTS], 1)
    )
    if not points:
        return None
    colour = _colour("series", [point["series"] for point in points])
    encoding = {
        "x": {"field": "epoch", "type": "ordinal", "title": "epoch", "axis": {"labelAngle": 0}},
        "y": {**_quantity("accuracy", "accuracy"), "scale": {"zero": False}, "axis": {"format": "%"}},
        "color": colour,
        "shape": _shape(colour),
        "tooltip": [{"field": "series", "type": "nominal"}, {"field": "accuracy", "format": ".1%"}],
    }
    mark = {"type": "line", "point": {"size": 60}}
    return {**_frame(description, points, None), "height": 220, "mark": mark, "encoding": encoding}


def _growth_domain(points: Sequence[Spec]) -> list[float]:
    growths = [point["growth"] for point in points]
    return [min(0.0, *growths), max(float(LEAST_GROWTH_KIB), *growths)]


def _drawable(points: Iterable[Spec]) -> list[Spec]:
    """Samples are finite, but what is computed from them may not be: such a point has no place on a chart."""
    return [point for point in points if all(math.isfinite(one) for one in point.values() if isinstance(one, float))]


def _extremes(rows: Sequence[Row]) -> list[Row]:
    """The fastest and the slowest alike, fastest first."""
    ranked = sorted((row for row in rows if row.speedup), key=lambda row: -_ratio(row))
    return ranked if len(ranked) <= MOST_MARKS else [*ranked[: MOST_MARKS // 2], *ranked[-MOST_MARKS // 2 :]]


def _ratio(row: Row) -> float:
    return row.speedup.ratio if row.speedup else 0.0


def _speedup_point(row: Row) -> Spec:
    assert row.speedup is not None  # chosen so
    found = row.speedup
    low, high = found.low or found.ratio, found.high or found.ratio
    with_interval = found.low is not None and found.high is not None
    return {
        "label": f"{work_of(row.measurement.name).words}\n{place_words(row)}",
        "case": row.measurement.name,
        "how": place_words(row),
        "ratio": found.ratio,
        "low": low,
        "high": high,
        "side": side_of(row),
        "times": format_times(found.ratio),
        "interval": f"{format_times(low)} – {format_times(high)}" if with_interval else "too few samples for one",
    }


def place_words(row: Row) -> str:
    """The setup, after its machine where there are several."""
    return f"{row.machine} · {row.how}" if row.machine else row.how


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


def _distribution(row: Row) -> list[Spec]:
    ordered = sorted(sample for sample in row.measurement.samples if sample > 0)
    count = len(ordered)
    series = f"{row.what} · {place_words(row)}"
    positions = sorted({round(step / CURVE_POINTS * (count - 1)) for step in range(CURVE_POINTS + 1)}) if count else []
    return [{"series": series, "milliseconds": ordered[at] * 1e3, "share": (at + 1) / count} for at in positions]


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


TAILS = (0.99, 0.95, 0.9, 0.75)
"""Percentiles that people know by name."""


def tail_of(one: Measurement) -> tuple[str, float] | None:
    """The 99th percentile, or the highest of those people know that so many samples support."""
    found = ((share, stats.percentile(one.samples, share).value) for share in TAILS)
    return next(((f"p{share * 100:.0f}", value) for share, value in found if value is not None), None)


def _leak_points(row: Row) -> list[Spec]:
    facts, floors = row.measurement.facts, row.measurement.samples
    calls = facts.get("calls_per_window")
    per_window = calls if isinstance(calls, int) and calls > 0 else 1
    step = max(1, math.ceil(len(floors) / CURVE_POINTS))
    series = f"{facts.get('series') or row.measurement.quantity}, {facts.get('phase') or ''}".strip(", ")
    return [
        {
            "series": series,
            "calls": at * per_window,
            "growth": (floors[at] - floors[0]) / 1024,
            "shown": f"{at * per_window:,} calls: {format_value(floors[at], 'bytes')}",
        }
        for at in range(0, len(floors), step)
    ]


def _quantity(field: str, title: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": title}


def _colour(field: str, values: Sequence[str]) -> Spec:
    names = list(dict.fromkeys(values))
    colours = [PALETTE[position] if position < len(PALETTE) else REST for position in range(len(names))]
    return {"field": field, "type": "nominal", "scale": {"domain": names, "range": colours}, "legend": _legend()}


def _shape(colour: Spec) -> Spec:
    """The same names as the colours, so that both share one legend."""
    return {
        "field": colour["field"],
        "type": "nominal",
        "scale": {"domain": colour["scale"]["domain"]},
        "legend": _legend(),
    }


def _legend() -> Spec:
    return {"orient": "top", "title": None, "columns": 1, "labelLimit": 340}


def picture_chart(cells: Sequence[tuple[Sequence[str | None], list[str]]], description: str) -> Spec:
    """Pictures side by side, with lines of words below, in rows of cells; a missing picture leaves its place empty."""
    words, pictures = [], []
    for number, (uris, lines) in enumerate(cells):
        row, column = divmod(number, PICTURE_COLUMNS)
        x, y = column * PICTURE_CELL, row * PICTURE_ROW
        words.append({"x": x, "y": y + PICTURE_SIDE + PICTURE_LINE // 2, "text": lines})
        pictures += [{"x": x + place * PICTURE_SIDE, "y": y, "url": uri} for place, uri in enumerate(uris) if uri]
    at: Spec = {axis: {"field": axis, "type": "quantitative", "scale": None, "axis": None} for axis in "xy"}
    image = {"type": "image", "width": PICTURE_SIDE, "height": PICTURE_SIDE, "align": "left", "baseline": "top"}
    text = {"type": "text", "align": "left", "baseline": "top", "lineHeight": PICTURE_LINE}
    layers = [
        {"data": {"values": pictures}, "mark": image, "encoding": {**at, "url": {"field": "url", "type": "nominal"}}},
        {"data": {"values": words}, "mark": text, "encoding": {**at, "text": {"field": "text", "type": "nominal"}}},
    ]
    return {**_frame(description, [], math.ceil(len(cells) / PICTURE_COLUMNS), PICTURE_ROW), "layer": layers}


def _frame(description: str, points: Sequence[Spec], rows: int | None, step: int = 0) -> Spec:
    """What every chart has; one of rows says how many: on a phone each has its label above it, and needs the room."""
    frame: Spec = {"$schema": _SCHEMA, "description": description, "width": 760, "data": {"values": points}}
    if rows is not None:
        frame |= {"height": rows * step, "usermeta": {"rows": rows}}
    return {**frame, "autosize": {"type": "fit-x", "contains": "padding"}}
