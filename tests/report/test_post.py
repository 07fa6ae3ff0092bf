"""The post and the short form: golden texts, no number that the run does not hold, nothing left over when rendered."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.report import runs

from torchstone.records import Device, Finding, Measurement, Run, encode
from torchstone.report.cases import Row, experiments_of
from torchstone.report.formatting import format_times, format_value
from torchstone.report.markdown import render_markdown
from torchstone.report.post import PostWords, write_post
from torchstone.report.sources import Machine

GOLDEN = Path(__file__).parent / "golden"
DAY = date(2026, 11, 15)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SAID_BY_THE_METHOD = {"95", "99", "32"}
"""The confidence, the percentile's name, and float32."""


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
    assert path.name == "2026-11-15-what-m1-max-is-worth-for-pytorch.md"
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
    assert shown.count("<table>") == 1


def derived(rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        unit = row.measurement.unit
        yield from (format_value(value, unit) for value in (row.middle, row.low, row.high) if value is not None)
        yield from (row.rate_words, row.value_words)
        if row.speedup:
            yield from (format_times(row.speedup.ratio), format_times(1 / row.speedup.ratio))


def known_numbers(run: Run) -> set[str]:
    """Every number that the file holds, and the summaries and counts of its records."""
    held = b" ".join(encode(one) for one in (run, *run.records)).decode()
    rows = (row for one in experiments_of([machine(run)]) for row in one.rows)
    short = {f"{float(number):g}" for number in re.findall(r"\d+\.\d+", held)}
    counts = short | {str(count) for count in range(len(run.records) + 1)}
    return set(NUMBER.findall(held)) | set(NUMBER.findall(" ".join(derived(rows)))) | counts


def test_every_number_of_the_post_is_in_the_run(tmp_path: Path) -> None:
    body = post_text(tmp_path)[1].split("---\n", 2)[2]
    prose = re.sub(r'src="[^"]*"|width="[^"]*"', "", body)
    assert set(NUMBER.findall(prose)) - known_numbers(runs.typical_run()) - SAID_BY_THE_METHOD == set()


def test_a_run_of_the_cpu_alone_claims_no_acceleration(tmp_path: Path) -> None:
    only = runs.make_run(runs.timed("training/x/train", 1.0))
    cpu = Machine("CPU", "x.jsonl", Run(**{**_fields(only), "devices": (runs.CPU,)}))  # type: ignore[arg-type]
    text = write_post([cpu], PostWords(None, None, None, DAY), tmp_path)[0].read_text(encoding="utf-8")
    assert "there is no accelerator in this run" in text
    assert "set against" not in text


def _fields(run: Run) -> dict[str, object]:
    return {name: getattr(run, name) for name in run.__struct_fields__}


@pytest.mark.parametrize(
    ("kind", "vendor", "heading"),
    [("mps", "Apple", "Metal"), ("cuda", "NVIDIA", "CUDA"), ("cuda", "AMD", "ROCm"), ("xpu", "Intel", "XPU")],
)
def test_the_acceleration_is_named_by_the_device(tmp_path: Path, kind: str, vendor: str, heading: str) -> None:
    device = Device(id=kind, kind=kind, vendor=vendor, name="x", memory_bytes=None, unified_memory=None)
    records: list[Measurement | Finding] = [runs.timed("training/x/train", 1.0)]
    run = Run(**{**_fields(runs.make_run(*records)), "devices": (device,)})  # type: ignore[arg-type]
    text = write_post([machine(run)], PostWords(None, None, None, DAY), tmp_path)[0].read_text(encoding="utf-8")
    assert f"## Acceleration with {heading}\n" in text
