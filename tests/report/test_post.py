"""The post and the short form: golden texts, no number that the run does not hold, nothing left over when rendered."""

import errno
import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.report import runs

from torchstone.errors import UserError
from torchstone.records import Run, encode
from torchstone.report import post
from torchstone.report.cases import Row, experiments_of
from torchstone.report.formatting import format_times, format_value, short_times
from torchstone.report.markdown import render_markdown
from torchstone.report.post import PostWords, write_post
from torchstone.report.sources import Machine

GOLDEN = Path(__file__).parent / "golden"
DAY = date(2026, 11, 15)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SAID_BY_THE_METHOD = {"32", "1"}
"""Of float32, and of a number of a figure."""


def machine(run: Run | None = None) -> Machine:
    return Machine("M1 Max", "x.jsonl", run or runs.typical_run())


def post_text(folder: Path, title: str | None = None, slug: str | None = None) -> tuple[Path, str]:
    path, *_ = write_post([machine()], PostWords(title, "A. Author", slug, DAY), folder)
    return path, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["post.md", "short.md"])
def test_golden(tmp_path: Path, name: str, golden: Callable[[Path, str], None]) -> None:
    text = post_text(tmp_path)[1] if name == "post.md" else render_markdown([machine()])
    golden(GOLDEN / name, text)


def test_the_post_and_its_figures(tmp_path: Path) -> None:
    path, text = post_text(tmp_path)
    assert path.name == "2026-11-15-m1-max-mps-trains-3-times-as-fast-as-the-cpu-at-batch-8-and.md"
    figures = re.findall(r'<img src="/(assets/images/[a-z0-9-]+\.png)"', text)
    assert figures
    assert sorted(figures) == sorted(one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*.png"))
    numbers = [int(number) for number in re.findall(r"<em>Figure (\d+):", text)]
    assert numbers == list(range(1, len(figures) + 1))


@pytest.mark.parametrize("title", ['A "quoted" title: with --- marks', "{{ site.secret }}", "../../up", "line\nbreak"])
def test_the_front_matter_holds_any_title(tmp_path: Path, title: str) -> None:
    path, text = post_text(tmp_path, title, "../../../evil")
    assert path == tmp_path / "2026-11-15-evil.md"
    _, front, body = text.split("---\n", 2)
    values = dict(line.split(": ", 1) for line in front.splitlines())
    assert values["layout"] == "blog_detail"
    assert json.loads(values["title"]) == " ".join(title.split())
    assert json.loads(values["author"]) == "A. Author"
    assert json.loads(values["featured-img"]) == "/assets/images/evil-1.png"
    assert "{{" not in body


def test_rendering_leaves_nothing_over(tmp_path: Path) -> None:
    body = post_text(tmp_path)[1].split("---\n", 2)[2]
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(body)
    text = re.sub(r"<[^>]*>", "", shown)
    assert not re.search(r"\*\*|\\|^#|\{:|^\|", text, re.MULTILINE)
    assert "<table>" not in shown


def derived(rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        unit = row.measurement.unit
        yield from (format_value(value, unit) for value in (row.middle, row.low, row.high) if value is not None)
        yield from (row.rate_words, row.value_words)
        if row.speedup:
            yield from (format_times(row.speedup.ratio), format_times(1 / row.speedup.ratio))
            yield from (short_times(row.speedup.ratio), short_times(1 / row.speedup.ratio))


def known_numbers(run: Run) -> set[str]:
    """Every number that the file holds, and the summaries and counts of its records."""
    held = b" ".join(encode(one) for one in (run, *run.records)).decode()
    rows = (row for one in experiments_of([machine(run)]) for row in one.rows)
    short = {f"{float(number):g}" for number in re.findall(r"\d+\.\d+", held)}
    counts = short | {str(count) for count in range(len(run.records) + 1)}
    return set(NUMBER.findall(held)) | set(NUMBER.findall(" ".join(derived(rows)))) | counts


def test_every_number_of_the_post_is_in_the_run(tmp_path: Path) -> None:
    body = post_text(tmp_path)[1].split("---\n", 2)[2]
    prose = re.sub(r'src="[^"]*"|width="[^"]*"|&#[0-9x]+;', "", body)
    assert set(NUMBER.findall(prose)) - known_numbers(runs.typical_run()) - SAID_BY_THE_METHOD == set()


def test_the_finding_is_the_title_and_it_is_short(tmp_path: Path) -> None:
    found = Machine("M4 Max", "x.jsonl", runs.accelerated_run())
    text = write_post([found], PostWords(None, None, None, DAY), tmp_path)[0].read_text(encoding="utf-8")
    assert 'title: "M4 Max: mps trains 8.3 to 17 times as fast as the CPU at batch 64–128, and evaluates' in text
    body = re.sub(r"<[^>]*>", "", text.split("---\n", 2)[2])
    assert len(body.split()) <= 280
    headings = re.findall(r"^## (.*)$", body, re.MULTILINE)
    assert headings == ["When it does not pay", "What does not work yet", "Try it"]
    assert "made up" in body


def test_a_run_of_the_cpu_alone_claims_no_acceleration(tmp_path: Path) -> None:
    found = Machine("CPU", "x.jsonl", runs.cpu_run())
    text = write_post([found], PostWords(None, None, None, DAY), tmp_path)[0].read_text(encoding="utf-8")
    assert "No GPU measured: ResNet-50 trains" in text
    assert "## When it does not pay" not in text


def test_a_full_disk_is_named_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(post, "write_whole", fill)
    with pytest.raises(UserError, match=re.escape(f"cannot write {tmp_path}: No space left on device")):
        write_post([machine()], PostWords(None, None, None, DAY), tmp_path)
