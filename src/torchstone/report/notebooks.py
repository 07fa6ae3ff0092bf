"""What a notebook shows of the nouns: small tables, bars and marks as HTML, or the very screen that a terminal gets.

Colours are middle tones on no ground of their own, so that they read in a light notebook and in a dark one. Nothing is
a script, and every word of a record is escaped.
"""

from collections.abc import Callable, Sequence
from html import escape
from statistics import median
from typing import TYPE_CHECKING, Any

from torchstone.records import Device, Finding, Measurement, Run
from torchstone.report.cards import finding_row
from torchstone.report.cases import make_row
from torchstone.report.formatting import fact_words, format_value, scalar_words
from torchstone.report.names import describe_setup
from torchstone.report.terminal import format_bytes
from torchstone.stats import PairedRatio

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
MOST_POINTS = 120
"""Of the line of samples: more are no wider on a screen."""
GOOD, WARNING, PROBLEM, PLAIN = "#1a8f5a", "#b07300", "#cc4b1a", "#3584c4"
LEVELS = {"ok": ("✓", GOOD), "note": ("·", PLAIN), "warning": ("!", WARNING), "problem": ("✗", PROBLEM)}
_SHARED = {True: "yes", False: "no", None: "unknown"}
_GREY = (128, 128, 128)


def devices_html(devices: Sequence[Device]) -> str:
    """A row a device; the facts of one alone are folded below it."""
    rows = [
        (one.id, one.vendor, one.name, format_bytes(one.memory_bytes), _SHARED[one.unified_memory]) for one in devices
    ]
    facts = [(name, fact_words(fact), fact.source) for one in devices for name, fact in one.facts.items()]
    folded = _folded("facts", [pair[:2] for pair in facts]) if len(devices) == 1 else ""
    return _table(("device", "vendor", "name", "memory", "shared with the CPU"), rows) + folded


def measurement_html(one: Measurement) -> str:
    """The median with its interval, the samples as a line, and why there is none where there is none."""
    row = make_row("", one)
    samples = f"{len(one.samples):,}" if one.samples else ""
    cells = (
        one.name,
        row.how,
        row.value_words,
        row.interval_words or ("too few samples" if one.samples else ""),
        samples,
    )
    table = _table(("what", "how", f"median {one.quantity}", "95 %", "samples"), [cells])
    trouble = "" if one.status == "ok" else _line(PROBLEM, "✗", one.status.replace("_", " "), one.reason or "")
    facts = [(name, scalar_words(value)) for name, value in one.facts.items()]
    return trouble + table + _samples_line(one.samples) + _folded("facts", facts)


def comparison_html(sentence: str, a: Measurement, b: Measurement, ratio: PairedRatio | None, verdict: str) -> str:
    """The verdict, and both as bars that begin at nothing."""
    if ratio is None:
        return _line(PROBLEM, "✗", "", sentence)
    colour = {"faster": GOOD, "slower": PROBLEM}.get(verdict, PLAIN)
    middles = [median(one.samples) for one in (a, b)]
    bars = "".join(
        f"<tr><td>{escape(one.name)}</td><td style='width:20em'>{_bar(middle / max(middles), shade)}</td>"
        f"<td>{escape(format_value(middle, one.unit))}</td></tr>"
        for one, middle, shade in zip((a, b), middles, ("#8a8f98", colour), strict=True)
    )
    where = f"on {escape(describe_setup(a.setup))}; medians"
    return f"<p><b>{escape(sentence)}</b></p><table>{bars}</table><small>{where}</small>"


def findings_html(findings: Sequence[Finding], nothing: str = "nothing was found") -> str:
    """A line a finding, with what to do."""
    return "".join(_finding_line(finding) for finding in findings) or f"<p>{escape(nothing)}</p>"


def _finding_line(finding: Finding) -> str:
    mark, colour = LEVELS[finding.level]
    row = finding_row(finding, "")
    hint = f"<br><small>what to do: {escape(finding.hint)}</small>" if finding.hint and not row["good"] else ""
    return _line(colour, mark, f"{finding.verdict}: {finding.subject}", finding.evidence, hint)


def run_html(run: Run) -> str:
    """The screen that `bench` ends with."""
    return screen_html(lambda screen: _paint_run(screen, run))


def _paint_run(screen: "Console", run: Run) -> None:
    from rich.text import Text

    from torchstone.report.answers import answer_run
    from torchstone.report.bench_screen import screen_lines
    from torchstone.report.cleaning import clean_run

    for style, line in screen_lines(answer_run(clean_run(run)), WIDTH):
        screen.print(Text(line, style=style), no_wrap=True, crop=False, overflow="ignore")


def check_screen(target: str, answer: dict[str, Any]) -> Callable[["Console"], None]:
    """What paints the screen of `check`."""
    from torchstone.report.check_screen import print_answer

    return lambda screen: print_answer(screen, target, answer)


def tune_screen(target: str, answer: dict[str, Any]) -> Callable[["Console"], None]:
    """What paints the screen of `tune`."""
    from torchstone.report.tune_screen import print_found

    return lambda screen: print_found(screen, target, answer)


def screen_html(paint: Callable[["Console"], None]) -> str:
    """What a terminal would show, with its colours."""
    from rich.terminal_theme import TerminalTheme

    screen = _recorded(paint)
    tones = [_GREY, _tone(PROBLEM), _tone(GOOD), _tone(WARNING), _tone(PLAIN), _GREY, _tone(PLAIN), _GREY]
    form = '<pre style="line-height:1.35;overflow-x:auto">{code}</pre>'
    return screen.export_html(theme=TerminalTheme(_GREY, _GREY, tones), code_format=form, inline_styles=True)


def screen_text(paint: Callable[["Console"], None]) -> str:
    """The same for a prompt."""
    return _recorded(paint).export_text().rstrip()


def _recorded(paint: Callable[["Console"], None]) -> "Console":
    import io

    from rich.console import Console

    screen = Console(record=True, file=io.StringIO(), width=WIDTH, highlight=False, markup=False, emoji=False)
    paint(screen)
    return screen


def _tone(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', headings)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    """Notebooks set the text of tables to the right: words stand on the left."""
    return "<tr>" + "".join(f"<{tag} style='text-align:left'>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _folded(title: str, pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return ""
    rows = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in pairs)
    return f"<details><summary>{escape(title)}</summary><ul>{rows}</ul></details>"


def _line(colour: str, mark: str, strong: str, words: str, more: str = "") -> str:
    begun = f"<b>{escape(strong)}:</b> " if strong else ""
    return f"<div><b style='color:{colour}'>{mark}</b> {begun}{escape(words)}{more}</div>"


def _bar(share: float, colour: str) -> str:
    return f"<div style='height:1em;width:{100 * share:.1f}%;background:{colour};border-radius:2px'></div>"


def _samples_line(samples: Sequence[float]) -> str:
    """The samples in the order measured: a drift or a jump is seen at once."""
    if len(samples) < 2:
        return ""
    shown = samples[:: -(-len(samples) // MOST_POINTS)]
    low, span = min(shown), (max(shown) - min(shown)) or 1.0
    step = 240 / (len(shown) - 1 or 1)
    points = " ".join(f"{number * step:.1f},{34 - 30 * (value - low) / span:.1f}" for number, value in enumerate(shown))
    line = f'<polyline points="{points}" fill="none" stroke="{PLAIN}" stroke-width="1.5"/>'
    words = "the samples in the order measured, from the lowest to the highest"
    return f'<svg width="240" height="38" role="img" aria-label="{words}"><title>{words}</title>{line}</svg>'
