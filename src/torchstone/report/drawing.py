"""Vega from vl-convert: the JavaScript that a page carries with it, and figures as SVG or PNG; all offline."""

import json
import os
import re
import zlib
from functools import lru_cache
from pathlib import Path
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
PAGE_WIDTH = 1030
"""Of a chart on the page of a wide screen; a narrower one has its own drawn by the page's script."""
PAGE_THEME: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "aria": False,
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--faint)",
        **dict.fromkeys(("gridColor", "domainColor", "tickColor"), "var(--line)"),
        "labelFontSize": 12,
        "titleFontSize": 12,
    },
    "legend": {"labelColor": "var(--ink)", "labelFontSize": 12},
    "text": {"color": "var(--ink)", "fontSize": 12},
    "rule": {"color": "var(--ink)"},
}
"""Colours by the names that the page's style gives them: one drawing for light, dark and paper."""
_ROOMY = {"labelFontSize": 14, "titleFontSize": 14}
"""Room for a sixth more than the letters of 12 px that the page shows: another machine's font may be wider."""
_IDLE = re.compile(
    r"""(?<!<svg) (?:aria-hidden="true"|pointer-events="none"|opacity="1"|font-family="system-ui, sans-serif"|"""
    r"""role="graphics-[a-z]+"|aria-roledescription="[^"]*")|(?<=\d\.\d\d)\d+(?=[^<>]*>)"""
)
"""What Vega says of every mark and the page of all at once, and places beyond a hundredth of a pixel."""
TONES = ("#0072B2", "#D55E00", "#8A7F00", "#767676", "#4A4A4A")
"""Colours that would be hard to see in the dark: the page's style has a paler one for each (`--tone-0072B2`)."""
_BUNDLE_LIKELY_BYTES = 100_000
"""A cached file that is smaller was cut short."""


def _import_vl_convert() -> Any:
    """Quarter of a second to import: only where something is drawn."""
    import vl_convert

    return vl_convert


@lru_cache(maxsize=1)
def vega_javascript() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script. Bundling takes seconds, so it is kept in the user's cache."""
    vl_convert = _import_vl_convert()
    path = _cache_file(str(vl_convert.__version__))
    try:
        kept = path.read_text(encoding="utf-8")
        if len(kept) > _BUNDLE_LIKELY_BYTES:
            return kept
    except (OSError, UnicodeDecodeError):
        pass
    bundle = str(vl_convert.javascript_bundle())
    _keep(path, bundle)
    return bundle


def _cache_file(version: str) -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("torchstone", False)) / f"vega-{version}.js"


def _keep(path: Path, text: str) -> None:
    """Put in place at once; a cache that cannot be written costs seconds, not a report."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)


def draw_svg(spec: Spec) -> str:
    """The figure as SVG; nothing outside the specification may be read."""
    return str(_import_vl_convert().vegalite_to_svg(_still(spec), allowed_base_urls=[], config=THEME))


def draw_for_page(spec: Spec) -> str:
    """The figure as it stands inside the page: there before any script runs, and where none does.

    The box around it says in words what it shows; mark by mark it would be noise to a screen reader.
    """
    text = json.dumps(_still(spec, PAGE_WIDTH))
    for tone in TONES:
        text = text.replace(f'"{tone}"', f'"var(--tone-{tone[1:]})"')
    config = PAGE_THEME | {part: PAGE_THEME[part] | _ROOMY for part in ("axis", "legend")}
    vl_convert = _import_vl_convert()
    try:
        drawn = str(vl_convert.vegalite_to_svg(text, allowed_base_urls=[], config=config))
    except ValueError:
        return ""  # numbers that no scale holds: the page's script tries once more, and says so in the chart's place
    return re.sub(r"<svg [^>]*?(?= width=)", '<svg aria-hidden="true" class="still"', _IDLE.sub("", drawn), count=1)


def draw_png(spec: Spec) -> bytes:
    drawn = _import_vl_convert().vegalite_to_png(_still(spec), scale=PNG_SCALE, allowed_base_urls=[], config=THEME)
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


def _still(spec: Spec, width: int = FIGURE_WIDTH) -> Spec:
    """A picture has no container to fill; one of several columns has its own widths."""
    return spec if "facet" in spec else {**spec, "width": width}
