"""Pictures side by side with words below them, as a chart: so the post has them too."""

import math
from collections.abc import Sequence

from torchstone.report.charts.parts import Spec, frame

PICTURE_COLUMNS, PICTURE_CELL, PICTURE_SIDE, PICTURE_LINE = 4, 190, 90, 16
"""Pixels; a cell holds two pictures side by side."""
PICTURE_ROW = PICTURE_SIDE + 4 * PICTURE_LINE


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
    return {**frame(description, [], math.ceil(len(cells) / PICTURE_COLUMNS), PICTURE_ROW), "layer": layers}
