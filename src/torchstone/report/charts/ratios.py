"""Charts of who is faster: setups against the CPU, models, machines, and from which batch on."""

from collections.abc import Iterable, Sequence

from torchstone.report.bests import Best
from torchstone.report.cases import Row, place_words, reference_of
from torchstone.report.charts.parts import (
    MOST_MARKS,
    PALETTE,
    SCHEMA,
    Spec,
    colour_by,
    drawable,
    frame,
    legend,
    quantity,
)
from torchstone.report.formatting import format_rate, format_times
from torchstone.report.holes import Hole
from torchstone.report.names import EVALUATION, TRAINING, work_of
from torchstone.report.speedups import plain_words
from torchstone.report.standings import Bar

FASTER, SLOWER, UNCLEAR, TOO_FEW = "faster", "slower", "too close to call", "too few samples"
SIDES = {FASTER: "#0072B2", SLOWER: "#D55E00", UNCLEAR: "#767676", TOO_FEW: "#B3B3B3"}
STAGES = (TRAINING, EVALUATION)


def side_of(row: Row) -> str:
    """Which side of the baseline a row lies on, as it was declared; or why that is not known."""
    found = row.speedup
    if found is None or found.has_too_few_samples:
        return TOO_FEW
    return {"faster": FASTER, "slower": SLOWER}.get(found.verdict, UNCLEAR)


def speedup_chart(rows: Sequence[Row], description: str) -> Spec | None:
    """A dot a setup on a log axis, with its interval: right of 1× is faster. Undecided ones are hollow or crossed."""
    points = [point for point in drawable(map(_speedup_point, _extremes(rows))) if point["low"] > 0]
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
    y["axis"] |= {"labelExpr": "split(datum.value, '\\n')", "labelOffset": -7}  # the setup on a line of its own
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(SIDES), "range": list(SIDES.values())},
        "legend": legend(),
    }
    shape = {**colour, "scale": {"domain": list(SIDES), "range": ["circle", "circle", "diamond", "cross"]}}
    tooltip = [{"field": name, "type": "nominal"} for name in ("label", "times", "interval", "side")]
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
    return {**frame(description, points, len({point["label"] for point in points}), 36), "layer": layers}


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


def bars_chart(bars: Sequence[Bar], description: str) -> Spec | None:
    """The graph of 2022: training beside evaluation, times as fast as the CPU. Bars begin at nothing; where they span
    more than a decade they are dots on a log axis."""
    points = drawable(_bar_point(bar) for bar in bars if bar.stage in STAGES)
    if not points:
        return None
    times = [point["times"] for point in points]
    is_wide = max(*times, 1.0) > 10 * min(times)
    scale: Spec = {"type": "log"} if is_wide else {"zero": True, "domainMin": 0}
    plain = plain_words(bar.plain_dtype for bar in bars)
    against = f"the CPU's {plain}" if all(bar.device == "cpu" for bar in bars) else "the CPU"
    x = {**quantity("times", f"times as fast as {against}{' (log scale)' if is_wide else ''}"), "scale": scale}
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
    frame = {"$schema": SCHEMA, "description": description, "data": {"values": points}}
    return {**frame, "facet": facet, "spec": inner, "usermeta": {"fixed": True}}


def _stage_colours() -> Spec:
    return {"domain": list(STAGES), "range": [PALETTE[0], PALETTE[5]]}


def _bar_point(bar: Bar) -> Spec:
    batch = f", batch {bar.batch}" if bar.batch is not None else ""
    rates = [f"{one.words} {bar.item}/s" for one in (bar.rates, bar.cpu_rates) if one.words]
    return {
        "label": f"{bar.model}{batch}",
        "stage": bar.stage,
        "times": bar.times,
        "shown": format_times(bar.times) + ("" if bar.verdict != "unclear" else " ?"),
        "rates": f"{rates[0]}, CPU {rates[1]}" if len(rates) > 1 else "",
        "how": f"{bar.how or 'plain'} against the CPU's {bar.against or 'plain ' + bar.plain_dtype}",
    }


def rates_chart(named: Sequence[tuple[str, Best]], description: str) -> Spec | None:
    """Items a second, one colour a machine; what only one machine did is left to the tables."""
    points = drawable(_rate_point(label, best) for label, best in named if best.rate)
    machines = {label: {point["label"] for point in points if point["machine"] == label} for label, _ in named}
    shared = [point for point in points if sum(point["label"] in found for found in machines.values()) > 1]
    if not shared:
        return None
    count = len({point["label"] for point in shared})
    y = {"field": "label", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}}
    offset = {"field": "machine", "type": "nominal", "sort": None}
    x = {**quantity("rate", "items a second"), "axis": {"format": "~s"}}
    colour = colour_by("machine", [point["machine"] for point in shared])
    tooltip = [{"field": name, "type": "nominal"} for name in ("machine", "label", "shown", "how")]
    text = {"type": "text", "align": "left", "dx": 6}
    layers: list[Spec] = [
        {"mark": {"type": "bar"}, "encoding": {"y": y, "yOffset": offset, "x": x, "color": colour, "tooltip": tooltip}},
        {"mark": text, "encoding": {"y": y, "yOffset": offset, "x": x, "text": {"field": "shown", "type": "nominal"}}},
    ]
    return {**frame(description, shared, count, 24 * len(machines)), "layer": layers}


def _rate_point(label: str, best: Best) -> Spec:
    shown = format_rate(best.rate or 0.0, best.item, 1.0)
    how = f"{best.device} {best.how}".strip()
    return {"machine": label, "label": best.work.words, "rate": best.rate, "shown": f"{shown}, {how}", "how": how}


def batch_chart(bars: Sequence[Bar], holes: Sequence[Hole], description: str) -> Spec | None:
    """Times as fast as the CPU over the batch, a line a model, named at its end. A line breaks where the device gave no
    right answer, and a cross says so."""
    lines: dict[str, list[Bar]] = {}
    for bar in sorted((bar for bar in bars if bar.batch), key=lambda bar: bar.batch or 0):
        lines.setdefault(f"{bar.model} {bar.stage}", []).append(bar)
    # One point is no curve, and colours never repeat.
    curves = [(name, line) for name, line in lines.items() if len({bar.batch for bar in line}) > 1][: len(PALETTE)]
    empty = {(f"{one.model} {one.stage}", one.batch): one for one in holes if one.batch}
    points = drawable(
        {**_batch_point(name, bar, bar is line[-1]), "part": _holes_below(name, bar, empty)}
        for name, line in curves
        for bar in line
        if (name, bar.batch) not in empty
    )
    if not points:
        return None
    colour = {**colour_by("series", [point["series"] for point in points]), "legend": None}
    x = {**quantity("batch", "batch (log scale)"), "scale": {"type": "log", "base": 2, "padding": 30}}
    y = {**quantity("times", "times as fast as the CPU (log scale)"), "scale": {"type": "log", "padding": 24}}
    y["axis"] = {"format": "~g", "tickCount": 6}
    tooltip = [{"field": name, "type": "nominal"} for name in ("series", "shown", "verdict")]
    line = {"type": "line", "strokeWidth": 2, "point": {"size": 70}}
    part = {"field": "part", "type": "nominal"}
    layers: list[Spec] = [
        {"mark": line, "encoding": {"x": x, "y": y, "color": colour, "detail": part, "tooltip": tooltip}},
        {
            "mark": {"type": "text", "align": "right", "dy": -12},
            "encoding": {"x": x, "y": y, "text": {"field": "end", "type": "nominal"}, "color": colour},
        },
        *_hole_layers([one for (name, _), one in empty.items() if name in dict(curves)], x),
        {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": {"y": {"datum": 1}}},
    ]
    return {**frame(description, points, None), "height": 260, "layer": layers}


def _holes_below(series: str, bar: Bar, empty: Iterable[tuple[str, int | None]]) -> int:
    """The part of a line that a point belongs to, counted from the smallest batch."""
    return sum(name == series and (batch or 0) < (bar.batch or 0) for name, batch in empty)


def _hole_layers(holes: Sequence[Hole], x: Spec) -> list[Spec]:
    """A cross with a word on the CPU's line at every batch without a right answer."""
    if not holes:
        return []
    values = [{"batch": one.batch, "text": f"✕ {one.kind}"} for one in holes]
    encoding = {"x": x, "y": {"datum": 1}, "text": {"field": "text", "type": "nominal"}}
    mark = {"type": "text", "dy": -10, "fontWeight": "bold"}
    return [{"data": {"values": values}, "mark": mark, "encoding": encoding}]


def _batch_point(series: str, bar: Bar, is_last: bool) -> Spec:
    shown = f"{format_times(bar.times)} at batch {bar.batch}"
    end = series if is_last else ""
    return {
        "series": series,
        "batch": bar.batch,
        "times": bar.times,
        "shown": shown,
        "verdict": bar.verdict,
        "end": end,
    }
