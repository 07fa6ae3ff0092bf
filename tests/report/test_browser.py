"""The page in a real browser: nothing fetched, no error, tables that work, dark mode, a phone, the keyboard."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.report import runs
from tests.report.browsing import DRAWN, Watched
from tests.report.test_hostile import ATTACKS, hostile_run, many_records
from tests.report.test_predictions import typical as with_predictions

from torchstone.records import Run
from torchstone.report.cleaning import clean_run
from torchstone.report.page import render_page
from torchstone.report.sources import Machine

pytestmark = pytest.mark.browser
TRAINING = "#records-training"
BOTTOM = "(chosen) => document.querySelector(chosen).getBoundingClientRect().bottom"
UNFOLD = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page"), Machine("M1 Max", "x.jsonl", runs.typical_run()))


def write_page(folder: Path, *machines: Machine) -> Path:
    path = folder / "report.html"
    path.write_text(render_page(machines), encoding="utf-8")
    return path


def test_it_fetches_nothing_and_says_nothing(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file)
    assert watched.said == []
    assert watched.asked == [page_file.as_uri()]
    plots = watched.page.locator(".plot")
    assert 4 <= plots.count() <= 8
    assert watched.page.locator(".plot[data-drawn] svg").count() == plots.count()


def test_charts_are_there_without_a_script_and_answer_the_pointer(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file, viewport={"width": 1280, "height": 800})
    assert watched.page.locator(".plot .still").count() == watched.page.locator(".plot").count()
    plot = watched.page.locator(".plot").first
    plot.hover()
    plot.locator(".vega-embed svg").wait_for()
    assert plot.locator(".still").count() == 0
    assert watched.said == []


def test_a_phone_has_its_charts_drawn_to_fit(browser: Any, page_file: Path) -> None:
    page = Watched(browser, page_file, viewport={"width": 390, "height": 844}).page
    assert page.locator(".plot .still").count() == 0
    assert page.locator(".plot .vega-embed svg").count() == page.locator(".plot").count()


def test_a_link_leads_to_its_figure(browser: Any, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{page_file.as_uri()}#figure-latency")
    page.wait_for_function(DRAWN)
    page.wait_for_function("Math.abs(document.querySelector('#figure-latency').getBoundingClientRect().top) < 400")


def test_headings_sort(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file)
    watched.page.evaluate(UNFOLD)
    heading = watched.page.locator(f"{TRAINING} th", has_text="Median")
    for order, expected in (("ascending", "0.2"), ("descending", "0.9")):
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == order
        first = watched.page.locator(f"{TRAINING} tbody tr:first-child td[data-sort]").nth(2)
        assert first.get_attribute("data-sort") == expected


def test_search_and_filter(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file)
    watched.page.evaluate(UNFOLD)
    watched.page.locator(f"{TRAINING} [data-search]").fill("evaluate MPS")
    assert watched.what_column(TRAINING) == ["resnet50/evaluate/batch=8"]
    assert watched.page.locator(f"{TRAINING} [data-count]").inner_text() == "1 of 4 rows"
    watched.page.locator("#records-inference [data-filter]").select_option("out of memory")
    assert watched.what_column("#records-inference") == ["vgg16/batch=128"]


def test_a_number_opens_its_samples(browser: Any, page_file: Path) -> None:
    page = Watched(browser, page_file).page
    page.evaluate(UNFOLD)
    page.locator(f"{TRAINING} .number").first.click()
    page.locator("#samples").wait_for()
    assert page.locator("#samples-title").inner_text() == "training/resnet50/train/batch=8 on cpu, 8 threads"
    assert page.locator("#samples-list li").count() == 9
    page.keyboard.press("Escape")
    assert not page.locator("#samples").is_visible()


def test_the_keyboard_reaches_everything(browser: Any, page_file: Path) -> None:
    page = Watched(browser, page_file).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator(f"{TRAINING} summary").focus()
    page.keyboard.press("Enter")
    page.locator(f"{TRAINING} th button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(f"{TRAINING} th").first.get_attribute("aria-sort") == "ascending"
    page.locator(f"{TRAINING} .number").first.focus()
    page.keyboard.press("Enter")
    page.locator("#samples").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "number"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_systems_until_chosen(browser: Any, page_file: Path, scheme: str) -> None:
    watched = Watched(browser, page_file, color_scheme=scheme)
    other = {"light": "dark", "dark": "light"}[scheme]
    assert watched.page.evaluate("document.documentElement.dataset.theme") == scheme
    before = watched.page.evaluate("getComputedStyle(document.body).backgroundColor")
    watched.page.locator("#theme").click()
    assert watched.page.evaluate("document.documentElement.dataset.theme") == other
    assert watched.page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert watched.said == []


@pytest.mark.parametrize("width", [320, 400, 1920])
def test_no_sideways_scrolling(browser: Any, tmp_path: Path, width: int) -> None:
    machines = [Machine(label, "x.jsonl", runs.typical_run()) for label in ("first machine", "second machine")]
    page = Watched(browser, write_page(tmp_path, *machines), viewport={"width": width, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.parametrize("make", [runs.accelerated_run, runs.cpu_run, runs.slow_device_run, runs.busy_run])
def test_headline_and_first_chart_on_one_screen(
    browser: Any, tmp_path: Path, make: Callable[[], Run], width: int, height: int
) -> None:
    """And whether to trust them."""
    path = write_page(tmp_path, Machine("it", "x.jsonl", make()))
    page = Watched(browser, path, viewport={"width": width, "height": height}).page
    assert page.evaluate(BOTTOM, "#figure-speed") <= height
    assert page.evaluate(BOTTOM, ".trust") <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_two_machines_on_one_screen(browser: Any, tmp_path: Path, width: int, height: int) -> None:
    machines = [Machine("Apple M4 Max", "x.jsonl", runs.accelerated_run()), Machine("Xeon", "y.jsonl", runs.cpu_run())]
    watched = Watched(browser, write_page(tmp_path, *machines), viewport={"width": width, "height": height})
    assert watched.page.evaluate(BOTTOM, "#figure-speed") <= height
    colours = watched.page.locator("#figure-speed .fill").evaluate_all("all => all.map((one) => one.style.background)")
    assert len(colours) == 12
    assert len(set(colours)) == 2
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    assert watched.said == []


def test_a_figure_can_be_taken_along(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file, accept_downloads=True)
    for form, start in (("png", b"\x89PNG"), ("csv", b'"label"')):
        with watched.page.expect_download() as waiting:
            watched.page.locator(f"[data-{form}=speed]").click()
        assert waiting.value.suggested_filename == f"speed.{form}"
        assert Path(waiting.value.path()).read_bytes().startswith(start)
    assert watched.said == []


def test_print_gives_a_few_pages(browser: Any, page_file: Path) -> None:
    page = Watched(browser, page_file).page
    pages = page.pdf(format="A4").count(b"/Type /Page\n")
    assert 1 <= pages <= 6


def test_nothing_hostile_runs(browser: Any, tmp_path: Path) -> None:
    machines = [
        Machine(f"machine {number}", "x.jsonl", clean_run(hostile_run(attack))) for number, attack in enumerate(ATTACKS)
    ]
    path = write_page(tmp_path, *machines)
    watched = Watched(browser, path, viewport={"width": 400, "height": 800})
    for number in watched.page.locator(".number:visible").all()[:5]:
        number.click()
        watched.page.keyboard.press("Escape")
    assert watched.said == []
    assert watched.asked == [path.as_uri()]
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 400


def test_fifty_thousand_records_open(browser: Any, tmp_path: Path) -> None:
    path = write_page(tmp_path, Machine("many", "x.jsonl", runs.make_run(*many_records(50_000))))
    watched = Watched(browser, path)
    assert watched.said == []
    assert watched.page.locator("#details details").count() > 10


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1200, "dark")])
def test_predictions_are_seen_and_said(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    path = write_page(tmp_path, with_predictions(tmp_path))
    watched = Watched(browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme)
    pictures = watched.page.locator(".predictions img")
    assert pictures.count() == 8
    assert all(pictures.evaluate_all("found => found.map(one => one.complete && one.naturalWidth > 0)"))
    assert all(pictures.evaluate_all("found => found.map(one => one.alt.length > 20)"))
    sides = pictures.evaluate_all("found => found.map(one => one.getBoundingClientRect().right)")
    assert max(sides) <= width
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    words = watched.page.locator(".predictions figcaption").all_inner_texts()
    assert [word.split(" named")[0] for word in words] == ["✗ Mistake", "✓ Right"] * 2
    assert watched.said == []
    assert {url.partition(";")[0] for url in watched.asked} <= {path.as_uri(), "data:image/jpeg"}


def test_without_a_script_all_stands_there_in_the_colours_of_the_system(browser: Any, page_file: Path) -> None:
    page = browser.new_context(java_script_enabled=False, color_scheme="dark").new_page()
    page.goto(page_file.as_uri())
    assert page.locator("#details").is_visible()
    assert page.locator(".plot svg").count() >= 4
    background = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert background == "rgb(18, 22, 29)"


def test_the_pages_own_script_waits_for_the_first_paint(browser: Any, page_file: Path) -> None:
    """A script that is read earlier holds the words up."""
    context = browser.new_context()
    context.add_init_script(
        "new MutationObserver(() => { if (document.documentElement.dataset.theme) "
        "window.paintedFirst ??= performance.getEntriesByType('paint').length > 0; })"
        ".observe(document, { subtree: true, attributes: true });"
    )
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.locator("html[data-drawn=yes]").wait_for(state="attached")
    assert page.evaluate("window.paintedFirst")
