"""Run files from strangers: nothing in them runs, leads elsewhere, or makes a page without end."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from tests.report import runs
from tests.report.embedded import embedded, unpack

from torchstone.errors import UserError
from torchstone.records import Device, Finding, Measurement, Run, Scalar, Setup
from torchstone.report.cards import slug
from torchstone.report.cleaning import clean_run, clean_text, pack_json
from torchstone.report.markdown import escape_markdown, render_markdown
from torchstone.report.page import render_page
from torchstone.report.pictures import LARGEST_BYTES, pictures_in
from torchstone.report.sources import Machine, read_machines

ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% include /etc/passwd %}",
    "\x1b[31mred\x1b[0m\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "../../../../etc/passwd",
    "\u202egnp.exe",
    "datum.constructor.constructor('alert(1)')()",
)


class Reader(HTMLParser):
    """Collects what a browser would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.dangers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.scripts += tag == "script"
        self.dangers += [name for name in given if name.startswith("on")]
        self.dangers += [f"{tag} {name}" for name in ("src", "href") if _leads_away(given.get(name))]
        self.dangers += [tag] if tag in ("iframe", "object", "embed", "link", "base") else []


def _leads_away(address: str | None) -> bool:
    return address is not None and not address.startswith(("#", "data:image/"))


def hostile_run(attack: str) -> Run:
    """The attack in every string that a run file has."""
    setup = Setup(device=attack, dtype=attack, engine=attack, memory_format=attack)
    facts: dict[str, Scalar] = {attack: attack, "items": 3, "item": attack, "series": attack, "phase": attack}
    records = [
        Measurement(
            name=f"{experiment}/{attack}/{number}",
            setup=setup if number else runs.PLAIN,
            unit=unit,
            quantity=attack if number == 2 else "time",
            samples=(0.1, 0.2, 0.3),
            protocol=attack,
            facts={**facts, "scheduled_rate": 3.0, "latency_bound_s": 0.1},
            audit={attack: (1.0,)},
        )
        for experiment in ("training", "load", "leak", "transfer", attack)
        for number, unit in enumerate(("s", "s", attack))
    ]
    records.append(Measurement(name=attack, setup=setup, unit="s", status="failed", reason=attack))
    found = Finding(kind=attack, subject=attack, verdict=attack, tier="measured", evidence=attack, hint=attack)
    device = Device(id=attack, kind=attack, vendor=attack, name=attack, memory_bytes=None, unified_memory=None)
    run = runs.make_run(*records, found, msgspec.structs.replace(found, kind="operator"), run_id=attack, chip=attack)
    changed: Run = msgspec.structs.replace(run, devices=(device,), started=attack, command=attack)
    return changed


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_a_strangers_file_runs(attack: str) -> None:
    machine = Machine(clean_text(attack), "x.jsonl", clean_run(hostile_run(attack)), (clean_text(attack),))
    page = render_page([machine, machine])
    reader = Reader()
    reader.feed(page)
    assert reader.scripts == 4  # two of data, two of ours
    assert reader.dangers == []
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_every_string_is_cleaned_names_of_facts_and_audits_too() -> None:
    cleaned = clean_run(hostile_run("\x1b[31m\u202eevil\x00"))
    text = msgspec.json.encode(cleaned).decode()
    assert "evil" in text
    assert not re.search("u001b|u0000|\u202e", text)
    assert all(set(one.audit) <= {"evil"} for one in cleaned.measurements)


@pytest.mark.parametrize("attack", ATTACKS)
def test_embedded_json_cannot_end_its_element(attack: str) -> None:
    text = pack_json({attack: [attack]})
    assert re.fullmatch("[A-Za-z0-9+/=]+", text)
    assert json.loads(unpack(text)) == {attack: [attack]}


@pytest.mark.parametrize("attack", ATTACKS)
def test_markdown_holds_no_html_no_link_and_no_template(attack: str) -> None:
    machine = Machine(clean_text(attack), "x.jsonl", clean_run(hostile_run(attack)))
    text = render_markdown([machine])
    assert not re.search(r"<(?!br)", text)
    assert "{{" not in text
    assert "{%" not in text
    from markdown_it import MarkdownIt

    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    reader = Reader()
    reader.feed(shown)
    assert (reader.scripts, reader.dangers) == (0, [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x00b\nc\td", "ab c d"),
        ("\u202eabc\u2066", "abc"),
        ("\ud800x", "?x"),
        ("x" * 2000, "x" * 799 + "…"),
    ],
)
def test_text_is_made_plain(text: str, shown: str) -> None:
    assert clean_text(text) == shown


@pytest.mark.parametrize("text", ["../../x", "/etc/passwd", "..", "", "a/b\\c", "CON:", "\x00", "x" * 500, "Ünïcode"])
def test_a_slug_is_no_path(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", slug(text))


def test_leading_marks_make_no_list() -> None:
    assert escape_markdown("- x") == "\\- x"
    assert escape_markdown("1. x") == "1\\. x"
    assert escape_markdown("# x") == "\\# x"


def test_pictures_come_from_the_folder_alone(tmp_path: Path) -> None:
    folder, secret = tmp_path / "a.files", tmp_path / "secret.png"
    folder.mkdir()
    secret.write_bytes(b"\x89PNG\r\n\x1a\nsecret")
    (folder / "link.png").symlink_to(secret)
    (folder / "script.png").write_bytes(b"<svg onload=alert(1)>")
    (folder / "large.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * LARGEST_BYTES)
    (folder / "vector.svg").write_text("<svg/>")
    assert pictures_in(folder) == []
    assert pictures_in(tmp_path / "absent") == []


def many_records(count: int) -> list[Measurement | Finding]:
    names = [f"experiment{number % 40}/case {number}" for number in range(count)]
    return [runs.timed(name, 0.1 + number % 7) for number, name in enumerate(names)]


def test_fifty_thousand_records_make_a_page_of_bounded_size() -> None:
    machine = Machine("many", "x.jsonl", runs.make_run(*many_records(50_000), *([runs.finding()] * 1000)))
    page = render_page([machine])
    assert len(page.encode()) < 12_000_000
    assert page.count("<tr>") < 7000
    assert "more records are in the run file" in page


def test_a_measurement_with_a_million_samples_is_thinned() -> None:
    huge = Measurement(name="inference/x", setup=runs.PLAIN, unit="s", samples=tuple([0.5] * 1_000_000))
    page = render_page([Machine("x", "x.jsonl", runs.make_run(huge))])
    assert len(page.encode()) < 1_500_000


@pytest.mark.parametrize("samples", [(0.0,) * 9, (0.0, 1.0) * 5, (1e9,) * 9, (1e-12,) * 9])
def test_odd_numbers_make_a_page(samples: tuple[float, ...]) -> None:
    names = ("training/x/train", "leak/x", "load/x", "transfer/x", "inference/x/latency=hot")
    facts: dict[str, Scalar] = {"items": 10**18, "item": "bytes", "scheduled_rate": 0.0, "calls_per_window": 0}
    records = [
        Measurement(name=name, setup=setup, unit=unit, samples=samples, quantity=quantity, facts=facts)
        for name in names
        for setup in (runs.PLAIN, runs.ON_MPS)
        for unit, quantity in (("s", "time"), ("s", "latency"), ("bytes", "memory"), ("J", "energy"))
        if unit != "s" or min(samples) > 0
    ]
    page = render_page([Machine("x", "x.jsonl", runs.make_run(*records))])
    assert "NaN" not in json.dumps(embedded(page, "figures-data"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"schema":"torchstone/99"}', "has schema 'torchstone/99'"),
        ('{"schema":"other"}', "is not a torchstone run"),
        ("NaN", "is not a torchstone run"),
        ("[" * 5000, "is not a torchstone run"),
    ],
)
def test_what_is_no_run_is_refused_in_a_sentence(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UserError, match=re.escape(message)):
        read_machines([str(path)])


def test_not_a_number_in_a_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    runs.write_run(path, runs.make_run(runs.timed("training/x", 1.0)))
    path.write_text(path.read_text().replace("1.0,", "NaN,"))
    with pytest.raises(UserError, match="line 2"):
        read_machines([str(path)])


def test_a_torn_file_is_reported_with_its_remark(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    runs.write_run(path, runs.typical_run())
    path.write_bytes(path.read_bytes() + b'{"record":"meas')
    with pytest.warns(UserWarning, match="torn"):
        machines = read_machines([str(path)])
    assert "the last line is torn" in render_page(machines)


def test_a_link_in_the_place_of_a_runs_files_is_not_followed(tmp_path: Path) -> None:
    from torchstone.report.pictures import folder_of_run

    (tmp_path / "run.files").symlink_to("/")
    assert folder_of_run(str(tmp_path / "run.jsonl")) is None
    assert folder_of_run(str(tmp_path / "other.jsonl")) == tmp_path / "other.files"
