"""Charts as they stand in the page: drawn twice when it is made, for a wide box and for a phone's.

The style shows the one that fits, in the colours of the light, the dark or paper, so they need no script. A mark with
words to say carries the number of its row; the page's script looks them up when the mark is pointed at.
"""

import json
import re
from typing import Any

from torchstone.report.charts.parts import Spec
from torchstone.report.drawing import draw_svg

WIDE, PHONE = 940, 330
"""Pixels; the style shrinks and stretches them to their box."""
PHONE_LABEL, PHONE_LINE = 18, 15
"""Pixels that a row is higher with its label above it, and from one line of the label to the next."""
PHONE_LEGEND = 260
ROW = "row"
TONES = ("#0072B2", "#D55E00", "#8A7F00", "#767676", "#4A4A4A")
"""Colours that would be hard to see in the dark: the page's style has a paler one for each (`--tone-0072B2`)."""
ROOMY_FONT = 15
"""The page shows letters of 12 px, or of these where the drawing is shrunk; another machine's font may be wider."""
THEME: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "aria": False,
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--faint)",
        **dict.fromkeys(("gridColor", "domainColor", "tickColor"), "var(--line)"),
        **dict.fromkeys(("labelFontSize", "titleFontSize"), ROOMY_FONT),
        "labelSeparation": 8,
    },
    "legend": {"labelColor": "var(--ink)", "labelFontSize": ROOMY_FONT},
    "text": {"color": "var(--ink)", "fontSize": 12},
    "rule": {"color": "var(--ink)"},
}
"""Colours by the names that the page's style gives them: one drawing for light, dark and paper."""
_IDLE = re.compile(
    r"""(?<!<svg) (?:aria-hidden="true"|pointer-events="none"|opacity="1"|font-family="system-ui, sans-serif"|"""
    r"""role="graphics-[a-z]+"|aria-roledescription="[^"]*"|font-size="\d+px"|stroke-width="1"|[xy]2="0")|"""
    r"""(?<=\d\.\d)\d+(?=[^<>]*>)"""
)
"""What Vega says of every mark and the page of all at once, what goes without saying, and less than 0.1 pixels."""
_LINES = re.compile(r'(?:<line transform="[^"]*"(?: [xy]2="[^"]*")* stroke="var\(--line\)"/>){2,}')
_LINE = re.compile(r'translate\(([^)]*)\)"(?: x2="([^"]*)")?(?: y2="([^"]*)")?')
_EMPTY = re.compile('<path class="(?:back|fore)ground" d="(?:M0,0h0v0h0Z)?"(?: display="none")?/>')
_ABOVE = {
    "labelLimit": PHONE,
    "labelAlign": "left",
    "labelBaseline": "bottom",
    "labelLineHeight": PHONE_LINE,
    "labelPadding": 0,
    "ticks": False,
    "domain": False,
    "zindex": 1,
}
"""The axis of rows on a phone: each label above its row, where a wide page has it beside, over what lies behind it."""
_OF_LINE = re.compile('(?<=<path) data-row="[0-9]+"(?= d="[^"]*" stroke)')
NOT_DRAWN = "This chart could not be drawn; the table holds its numbers."


def draw_for_page(spec: Spec) -> str:
    """Both sizes. Their box says in words what they show: mark by mark it would be noise to a screen reader."""
    numbered = _numbered(spec)
    try:
        return _draw({**numbered, "width": WIDE}, "wide") + _draw(_for_phone(numbered), "narrow")
    except ValueError:
        return NOT_DRAWN  # numbers that no scale holds


def data_of_figure(spec: Spec, is_in_words: bool) -> dict[str, Any]:
    """For the page's script: the rows, and which of their fields a mark says; or a picture of what has no marks."""
    rows = {"rows": spec["data"]["values"]}
    if not is_in_words:
        return rows | {"says": _fields_said(spec)}
    try:
        return rows | {"drawing": draw_svg(spec)}
    except ValueError:
        return rows


def _fields_said(part: Spec) -> list[str]:
    said = [one["field"] for one in part.get("encoding", {}).get("tooltip", ())]
    return said + [name for one in part.get("layer", ()) for name in _fields_said(one)]


def _numbered(spec: Spec) -> Spec:
    values = [{**row, ROW: number} for number, row in enumerate(spec["data"]["values"])]
    return {**_telling(spec), "data": {"values": values}}


def _telling(part: Spec) -> Spec:
    """Marks with a tooltip carry their row's number instead."""
    inner = {"layer": [_telling(one) for one in part["layer"]]} if "layer" in part else {}
    encoding = dict(part.get("encoding", {}))
    if encoding.pop("tooltip", None) is None:
        return {**part, **inner}
    encoding["description"] = {"field": ROW, "type": "nominal"}
    return {**part, "mark": {**part["mark"], "aria": True}, "encoding": encoding}


def _for_phone(spec: Spec) -> Spec:
    rows = spec.get("usermeta", {}).get("rows")
    height = {"height": spec["height"] + rows * PHONE_LABEL} if rows else {}
    fitted: Spec = _fitted({key: value for key, value in spec.items() if key != "data"}, bool(rows))
    return {**fitted, **height, "width": PHONE, "data": spec["data"]}


def _fitted(value: Any, has_rows: bool, name: str = "") -> Any:
    """Long labels would leave a phone no room for the marks: there they stand above their rows instead."""
    if isinstance(value, list):
        return [_fitted(one, has_rows) for one in value]
    if not isinstance(value, dict):
        return value
    if name == "axis" and has_rows and "labelLimit" in value:
        lines = 2 if "labelExpr" in value else 1  # which splits it
        return {**value, **_ABOVE, "labelOffset": 6 - lines * PHONE_LINE}
    if name == "legend":
        return {**value, "labelLimit": PHONE_LEGEND}
    return {key: _fitted(one, has_rows, key) for key, one in value.items()}


def _draw(spec: Spec, size: str) -> str:
    text = json.dumps(spec)
    for tone in TONES:
        text = text.replace(f'"{tone}"', f'"var(--tone-{tone[1:]})"')
    drawn = _LINES.sub(_join_lines, _EMPTY.sub("", _IDLE.sub("", draw_svg(text, THEME))))
    drawn = re.sub(' aria-label="([0-9]+)"', r' data-row="\1"', drawn)
    if 'class="mark-symbol role-mark' in drawn:  # each point says its own; a line could say only its first
        drawn = _OF_LINE.sub("", drawn)
    return re.sub(r"<svg [^>]*?(?= width=)", f'<svg aria-hidden="true" class="{size}"', drawn, count=1)


def _join_lines(found: re.Match[str]) -> str:
    """The lines of a grid in one path: they are a third of a drawing."""
    steps = (f"M{at}l{across or 0},{down or 0}" for at, across, down in _LINE.findall(found[0]))
    return f'<path d="{"".join(steps)}" stroke="var(--line)"/>'
