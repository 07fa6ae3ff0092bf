"""The page from run files: what stands in it, how it is bounded, and that every chart is valid Vega-Lite."""

import base64
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.report import runs
from tests.report.embedded import embedded

from torchstone.errors import UserError
from torchstone.records import Measurement, Setup
from torchstone.report.cases import experiments_of
from torchstone.report.charts.ratios import TOO_FEW, side_of
from torchstone.report.drawing import draw_svg
from torchstone.report.page import MOST_CHARTS, first_figure, headline, in_ascii, make_view, read_template, render_page
from torchstone.report.page_charts import TONES, WIDE
from torchstone.report.sentences import speed_sentence
from torchstone.report.sources import Machine, read_machines, split_label
from torchstone.report.tables import SampleBook, long_table
from torchstone.report.writing import Wish, all_figures, write_report

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)

WRITING, TRAINING = "inference/gpt2_small/decode/batch=1", "training/resnet50/train/batch=8"


def machine(*records: Any, label: str = "M1 Max") -> Machine:
    return Machine(label, "somewhere.jsonl", runs.make_run(*records))


@pytest.fixture(scope="module")
def page() -> str:
    return render_page([machine(*runs.typical_records())])


def test_the_page_holds_every_part_in_order(page: str) -> None:
    parts = ["answers", "figure-speed", "broken", "pays", "setups", "images", "serving", "latency", "finetuning"]
    parts += ["memory", "energy", "selftest", "details", "records-training", "remarks", "machines", "measured"]
    places = [page.index(f' id="{part}"') for part in parts]
    assert places == sorted(places)
    assert len(page.encode()) < 1_500_000


def test_the_five_questions_are_answered_before_the_first_section() -> None:
    for make in (runs.accelerated_run, runs.cpu_run, runs.slow_device_run, runs.busy_run):
        found = Machine("it", "x.jsonl", make())
        (answers,) = make_view([found]).answers
        top = unescape(render_page([found]).partition('<section id="setups"')[0])
        assert answers.headline in top
        assert all(sentence in top for sentence in answers.use.sentences)
        assert all(one.what in top and one.to_do in top for one in answers.broken)
        assert answers.trust.sentence in top
        assert ("Made up:" in top) is answers.is_made_up


def test_at_most_eight_charts_and_each_with_its_links(page: str) -> None:
    slugs = re.findall(r'<figure class="chart" id="figure-([a-z0-9-]+)"', page)
    assert 1 < len(slugs) <= MOST_CHARTS
    assert set(embedded(page, "figures-data")) == set(slugs)
    for slug in slugs:
        assert f'href="#figure-{slug}"' in page
        assert f'data-png="{slug}"' in page
        assert f'data-csv="{slug}"' in page


def test_charts_come_drawn_with_the_page_for_a_wide_box_and_for_a_phone(page: str) -> None:
    svg = r'<svg aria-hidden="true" class="{}" width="{}".*?</svg>'
    both = svg.format("wide", WIDE) + svg.format("narrow", r"3\d\d")
    drawn = re.findall(rf'<div class="plot"[^>]*>({both})</div>', page)
    assert len(drawn) == page.count('<div class="plot"') > 1
    assert any("var(--tone-0072B2)" in one for one in drawn)
    assert not any("#0072B2" in one for one in drawn)
    assert not re.search(r"<svg[^>]*>.*?\bid=.*?</svg>", "".join(drawn)), "an id would stand there twice"


def test_every_mark_finds_its_words(page: str) -> None:
    for slug, figure in embedded(page, "figures-data").items():
        plot = re.search(rf'<div class="plot" data-figure="{slug}".*?</div>', page)
        assert bool(plot) != ("drawing" in figure), "drawn on the page, or for its picture alone"
        if not plot:
            continue
        assert all(field in row for field in figure["says"] for row in figure["rows"])
        for drawn in plot.group().split("<svg")[1:]:
            numbers = [int(number) for number in re.findall(r' data-row="(\d+)"', drawn)]
            assert numbers
            assert len(set(numbers)) == len(numbers)
            assert max(numbers) < len(figure["rows"])


def test_every_tone_has_its_colour_in_the_light_the_dark_and_on_paper() -> None:
    style = read_template("page.css")
    light, chosen_dark, dark_of_the_system, paper = 1, 1, 1, 1
    expected = light + chosen_dark + dark_of_the_system + paper
    assert all(style.count(f"--tone-{tone[1:]}: #") == expected for tone in TONES)


def test_the_file_is_in_ascii_and_says_the_same(page: str) -> None:
    plain = in_ascii(page)
    assert plain.isascii()
    raw = re.compile(r"<(script|style)[^>]*>(.*?)</\1>", re.DOTALL)
    assert raw.findall(plain) == raw.findall(page)
    assert unescape(raw.sub("", plain)) == unescape(raw.sub("", page))


def test_figures_beyond_eight_are_counted() -> None:
    many = [one for n in range(12) for one in runs.contest(f"own{n}/x", {runs.PLAIN: 1.0, runs.ON_MPS: 0.5})]
    text = render_page([machine(*many)])
    assert len(re.findall('<figure class="chart"', text)) == MOST_CHARTS
    assert "4 more figures" in text


def test_empty_parts_are_left_out(page: str) -> None:
    for part in ("operators", "models", "pictures", "learning"):
        assert f'id="{part}"' not in page


def test_later_findings_have_their_place() -> None:
    text = render_page(
        [machine(runs.finding("operator", subject="aten::add"), runs.finding("check", subject="my net"))]
    )
    assert '<section id="operators"' in text
    assert '<section id="models"' in text
    assert "aten::add" in text.partition('<section id="operators"')[2]


def test_energy_says_why_there_is_none(page: str) -> None:
    assert "unavailable: no RAPL counter" in page.partition('<section id="energy"')[2]


def test_every_number_has_its_samples(page: str) -> None:
    book = embedded(page, "samples-data")
    numbers = [int(number) for number in re.findall(r'data-samples="(\d+)"', page)]
    assert sorted(numbers) == list(range(len(book)))
    assert book[0]["name"] == "training/resnet50/train/batch=8"
    assert book[0]["samples"][4] == 0.9


def test_the_page_allows_no_script_but_its_own(page: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert "default-src &#39;none&#39;" in policy.group(1)
    assert "unsafe-inline&#39;; img-src data:" in policy.group(1)
    assert policy.group(1).count("sha256-") == 2
    assert "unsafe-eval" not in policy.group(1)


def test_slower_is_said_as_loudly_as_faster() -> None:
    found = machine(*runs.typical_records())
    words = speed_sentence(experiments_of([found])[0].rows)
    assert "3.00× as fast" in words
    assert "2.50× slower" in words
    (figure,) = first_figure(make_view([found]))
    assert {(point["stage"], point["shown"]) for point in figure.spec["data"]["values"]} == {
        ("training", "3.00×"),
        ("evaluation", "0.40×"),
    }


def test_the_first_chart_is_of_training_and_evaluation_alone() -> None:
    """What a language model does has no bar there."""
    own = {name: runs.contest(name, {runs.PLAIN: 2.0, runs.ON_MPS: 1.0}) for name in (WRITING, TRAINING)}
    (figure,) = first_figure(make_view([machine(*own[WRITING], *own[TRAINING])]))
    assert [point["stage"] for point in figure.spec["data"]["values"]] == ["training"]
    view = make_view([machine(*own[WRITING])])
    assert first_figure(view) == []
    assert headline(view) == "mps writes 2 times as fast as the CPU at batch 1."


def column(records: list[Measurement], heading: str) -> list[str]:
    rows = experiments_of([machine(*records)])[0].rows
    table = long_table("x", rows, SampleBook())
    assert table
    return [row[table.headings.index(heading)].text for row in table.rows]


def test_a_cpu_alone_is_set_against_its_own_plain_float32() -> None:
    faster = Setup(device="cpu", dtype="bfloat16", threads=8)
    records = [
        runs.timed("inference/a", 0.2),
        runs.timed("inference/a", 0.1, faster),
        runs.timed("inference/b", 0.2),
    ]
    assert column(records, "Against plain float32") == ["1×, the baseline", "▲ 2.00×", ""]
    text = render_page([machine(*records)])
    assert "Against plain float32: a evaluation on cpu, bfloat16, 8 threads is 2.00× as fast." in text
    assert "the plain CPU" not in text


def test_nothing_beside_it_is_no_baseline() -> None:
    table = long_table("x", experiments_of([machine(runs.timed("inference/b", 0.2))])[0].rows, SampleBook())
    assert table
    assert "Against" not in " ".join(table.headings)


def test_fine_tuning_shows_the_last_accuracy_and_its_curve(page: str) -> None:
    section = page.partition('<section id="finetuning"')[2].partition("</section>")[0]
    assert "full on cpu, 8 threads reached 85.0% in 90 s." in section
    points = embedded(page, "figures-data")["finetuning"]["rows"]
    assert [one["accuracy"] for one in points] == [0.7, 0.8, 0.85]


def test_answers_are_no_warnings_and_epochs_no_findings(page: str) -> None:
    broken = page.partition('<section id="broken"')[2].partition("</section>")[0]
    assert "from batch 8" not in broken
    assert "epoch 1 of 3" not in page
    assert "memory grows" in broken


def test_too_few_samples_decide_nothing() -> None:
    few = [
        Measurement(name="training/x/train", setup=setup, unit="s", samples=(value,))
        for setup, value in ((runs.PLAIN, 1.0), (runs.ON_MPS, 0.1))
    ]
    rows = experiments_of([machine(*few)])[0].rows
    assert [side_of(row) for row in rows if row.speedup] == [TOO_FEW]


def test_every_figure_is_valid_vega_lite() -> None:
    altair = pytest.importorskip("altair")
    figures = all_figures([machine(*runs.typical_records())])
    figures += all_figures([machine(*runs.accelerated_run().records)])
    assert {figure.slug for figure in figures} >= {"speed", "pays-1", "setups", "serving", "memory-1", "latency"}
    for figure in figures:
        kind = altair.LayerChart if "layer" in figure.spec else altair.Chart
        kind = altair.FacetChart if "facet" in figure.spec else kind
        kind.from_dict(figure.spec)
        assert figure.description
    assert draw_svg(figures[0].spec).startswith("<svg")


def test_a_run_without_experiments_makes_a_page() -> None:
    text = render_page([machine()])
    assert 'id="machines"' in text
    assert "no measurements" in text
    assert "Nothing was measured." in text


def test_machines_are_columns(tmp_path: Path) -> None:
    first = runs.write_run(tmp_path / "a.jsonl", runs.typical_run())
    second = runs.write_run(tmp_path / "b.jsonl", runs.make_run(*runs.typical_records(), torch="2.12.0"))
    text = render_page(read_machines([f"old={first}", f"new={second}"]))
    assert '<button type="button">old · mps</button>' in text
    assert '<button type="button">new · mps</button>' in text
    assert "these runs were made with torch 2.13.0, 2.12.0" in text


def test_one_chip_twice_is_told_apart(tmp_path: Path) -> None:
    path = runs.write_run(tmp_path / "a.jsonl", runs.typical_run())
    later = runs.write_run(tmp_path / "b.jsonl", runs.typical_run())
    assert [one.label for one in read_machines([path, path])] == ["M1 Max (1)", "M1 Max (2)"]
    assert [one.label for one in read_machines([path, later])] == ["a", "b"]


def test_two_runs_of_one_machine_are_called_as_the_person_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_RUNS", str(tmp_path))
    for name in ("20260101T000000Z-a", "20260102T000000Z-b"):
        runs.write_run(tmp_path / f"{name}.jsonl", runs.typical_run())
    assert [one.label for one in read_machines(["last~1", "last"])] == ["last~1", "last"]


@pytest.mark.parametrize(
    ("source", "label"),
    [("mac=runs/a.jsonl", "mac"), ("s3://b/x=1/a.jsonl", None), ("runs/x=1.jsonl", None), ("a.jsonl", None)],
)
def test_labels(source: str, label: str | None) -> None:
    assert split_label(source)[0] == label


def test_pictures_of_the_run_are_embedded(tmp_path: Path) -> None:
    path = runs.write_run(tmp_path / "a.jsonl", runs.typical_run())
    folder = tmp_path / "a.files"
    folder.mkdir()
    (folder / "images-x-after.png").write_bytes(PIXEL)
    (folder / "images-x-before.png").write_bytes(PIXEL)
    (folder / "notes.txt").write_text("not a picture")
    text = render_page(read_machines([path]))
    assert text.index("images x before") < text.index("images x after")
    assert text.count("data:image/png;base64,") == 2


def test_a_folder_makes_an_index_and_pages(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    runs.write_run(folder / "a.jsonl", runs.typical_run())
    runs.write_run(folder / "b.jsonl", runs.make_run(run_id="../../etc/x"))
    (folder / "c.jsonl").write_text("{}\n")
    written = write_report(Wish((str(folder),), tmp_path / "site"))
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "site/index.html",
        "site/run-1.html",
        "site/etc-x.html",
    ]
    index = written[0].read_text(encoding="utf-8")
    assert 'href="etc-x.html"' in index
    assert "c.jsonl is not a torchstone run" in index


def test_nothing_named_is_misuse() -> None:
    with pytest.raises(UserError, match="which run"):
        write_report(Wish(()))


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    path = runs.write_run(tmp_path / "a.jsonl", runs.typical_run())
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        write_report(Wish((path,), tmp_path / "file" / "page.html"))


def test_figures_alone(tmp_path: Path) -> None:
    path = runs.write_run(tmp_path / "a.jsonl", runs.make_run(*runs.typical_records()[:2]))
    for form, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        written = write_report(Wish((path,), tmp_path / form, form))
        assert [one.name for one in written] == [f"speed.{form}", f"setups.{form}"]
        assert all(one.read_bytes().startswith(start) for one in written)
