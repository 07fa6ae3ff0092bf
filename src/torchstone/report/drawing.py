"""Figures as SVG or PNG, by vl-convert; offline."""

import zlib
from typing import Any

from torchstone.report.charts.parts import Spec

FIGURE_WIDTH = 760
PNG_SCALE = 2.0
THEME: dict[str, Any] = {
    "background": "white",
    "font": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
    "axis": {"labelFontSize": 12, "titleFontSize": 12, "gridColor": "#e6e8ec"},
    "legend": {"labelFontSize": 12},
    "view": {"stroke": None},
    "text": {"color": "#1c2330", "fontSize": 12},
    "rule": {"color": "#1c2330"},
}


def draw_svg(spec: Spec | str, config: dict[str, Any] = THEME) -> str:
    """The figure as SVG; nothing outside the specification may be read."""
    import vl_convert  # a quarter of a second: only where something is drawn

    drawn = spec if isinstance(spec, str) else _still(spec)
    return str(vl_convert.vegalite_to_svg(drawn, allowed_base_urls=[], config=config))


def draw_png(spec: Spec) -> bytes:
    import vl_convert

    drawn = vl_convert.vegalite_to_png(_still(spec), scale=PNG_SCALE, allowed_base_urls=[], config=THEME)
    return _packed(bytes(drawn))


def _packed(png: bytes) -> bytes:
    """The same picture in a fifth of the bytes: vl-convert packs for speed, and a post is kept in a repository."""
    before, after = [png[:8]], list[bytes]()
    pixels, place = b"", 8
    while place < len(png):
        end = place + 12 + int.from_bytes(png[place : place + 4], "big")
        chunk = png[place:end]
        place = end
        if chunk[4:8] == b"IDAT":
            pixels += chunk[8:-4]
        else:
            (after if pixels else before).append(chunk)
    packed = b"IDAT" + zlib.compress(zlib.decompress(pixels), 9)
    sized = (len(packed) - 4).to_bytes(4, "big") + packed + zlib.crc32(packed).to_bytes(4, "big")
    return b"".join([*before, sized, *after])


def _still(spec: Spec) -> Spec:
    """A picture has no container to fill; one of several columns has its own widths."""
    return spec if "facet" in spec else {**spec, "width": FIGURE_WIDTH}
