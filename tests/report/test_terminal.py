"""Tables and findings as they come out where there is no terminal, and a bar where there is one."""

import io

import pytest
from rich.console import Console

from torchstone.records import Device, Fact, Finding, Level
from torchstone.report import terminal

DEVICE = Device(id="x:0", kind="x", vendor="[b]Acme[/b]", name=":fire: X[1]", memory_bytes=3 << 30, unified_memory=None)
PLAIN = Fact(value="computes", source="s")


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "unknown"),
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1.0 KiB"),
        (1536.0, "1.5 KiB"),
        (-2048, "-2.0 KiB"),
        (25 << 30, "25.0 GiB"),
        (1 << 52, "4096.0 TiB"),
    ],
)
def test_format_bytes(count: float | None, text: str) -> None:
    assert terminal.format_bytes(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.5e-5, "45 µs"), (3e-9, "3 ns"), (0.0, "0 ns")]
)
def test_format_seconds(seconds: float, text: str) -> None:
    assert terminal.format_seconds(seconds) == text


def test_names_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.console().print(terminal.devices_table((DEVICE,), {}))
    text = shown(capsys)
    assert "[b]Acme[/b]" in text
    assert ":fire: X[1]" in text
    assert "3.0 GiB" in text
    assert "unknown" in text
    assert "not probed" in text


def test_a_path_is_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.console().print("Kept in /tmp/[red]/x.jsonl", soft_wrap=True)
    assert shown(capsys) == "Kept in /tmp/[red]/x.jsonl\n"


def test_dtypes_in_words() -> None:
    falls_back = Fact(value="falls back to the CPU", source="s")
    refused = Fact(value=None, source="s", reason="no")
    words = terminal._dtype_words({"float32": PLAIN, "int8": PLAIN, "bfloat16": falls_back, "float64": refused})
    assert words == "float32, int8; on the CPU instead: bfloat16; not: float64"
    assert terminal._dtype_words({"float64": refused, "int8": falls_back}) == "on the CPU instead: int8; not: float64"


def test_absences(capsys: pytest.CaptureFixture[str]) -> None:
    finding = Finding(
        kind="device", subject="cuda", verdict="absent", tier="stated", evidence="no card", hint="pip install 'x[y]'"
    )
    terminal.console().print(terminal.absences_table((finding,)))
    text = shown(capsys)
    assert "no card" in text
    assert "pip install 'x[y]'" in text


LEVELS: tuple[Level, ...] = ("ok", "warning")


def test_findings(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [
        Finding(kind="k", subject=level, verdict=level, level=level, tier="stated", evidence="e", hint="do this")
        for level in LEVELS
    ]
    terminal.print_findings(terminal.console(), "Title", findings)
    assert shown(capsys).splitlines() == [
        "Title",
        "  ok    ok: e",
        "  warn  warning: e",
        "        hint: do this",
    ]


def test_progress_off_a_terminal_is_one_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.timed_progress("measuring", 12.4):
        pass
    out, err = capsys.readouterr()
    assert (out, err) == ("", "measuring (about 12 s)\n")


def test_progress_on_a_terminal_is_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    screen = Console(file=stream, force_terminal=True, width=80)
    monkeypatch.setattr(terminal, "console", lambda stderr: screen)
    with pytest.raises(KeyError), terminal.timed_progress("measuring [x]", 5.0):
        raise KeyError("from within")
    assert "measuring [x]" in stream.getvalue()
