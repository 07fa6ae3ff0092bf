"""The page in a real browser: nothing fetched, no error, tables that work, dark mode, a phone, the keyboard."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.report import runs
from tests.report.browsing import Watched, wait_until_drawn, wait_until_seen
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
    assert 4 <= watched.page.locator(".plot").count() <= 8


@pytest.mark.parametrize(("width", "fitting", "other"), [(1280, "wide", "narrow"), (390, "narrow", "wide")])
@pytest.mark.parametrize("has_script", [True, False])
def test_the_chart_that_fits_is_shown(
    browser: Any, page_file: Path, width: int, fitting: str, other: str, has_script: bool
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 800}, java_script_enabled=has_script).new_page()
    page.goto(page_file.as_uri())
    page.locator(".plot").first.wait_for()
    assert page.locator(f".plot .{fitting}:visible").count() == page.locator(".plot").count()
    assert page.locator(f".plot .{other}:visible").count() == 0


def middle_of(mark: Any) -> tuple[float, float]:
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_mark_says_what_it_is_under_the_pointer(browser: Any, page_file: Path, scheme: str) -> None:
    watched = Watched(browser, page_file, viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    mark, tip = watched.page.locator("#figure-setups .wide [data-row='0']"), watched.page.locator(".tip")
    x, y = middle_of(mark)
    watched.page.mouse.move(x + 7, y)  # beside it is near enough
    tip.wait_for()
    assert tip.inner_text() == "ResNet-50 evaluation, batch 1\nmps\n5.00× · 4.85× – 5.15× · faster"
    ground, ink = (tip.evaluate(f"(one) => getComputedStyle(one).{what}") for what in ("backgroundColor", "color"))
    assert (ground, ink) == {
        "light": ("rgb(28, 35, 48)", "rgb(255, 255, 255)"),
        "dark": ("rgb(232, 236, 242)", "rgb(26, 32, 41)"),
    }[scheme]
    watched.page.mouse.move(x, y + 40)
    tip.wait_for(state="hidden")
    assert watched.said == []


def test_a_mark_says_what_it_is_under_a_finger(browser: Any, page_file: Path) -> None:
    watched = Watched(browser, page_file, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    x, y = middle_of(watched.page.locator("#figure-setups .narrow [data-row='0']"))
    tip = watched.page.locator(".tip")
    watched.page.touchscreen.tap(x - 12, y + 8)
    tip.wait_for()
    assert "5.00×" in tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    watched.page.touchscreen.tap(x - 150, y + 200)
    tip.wait_for(state="hidden")
    assert watched.said == []


def test_the_arrow_keys_walk_from_mark_to_mark_in_one_stop_a_chart(browser: Any, page_file: Path) -> None:
    page = Watched(browser, page_file, viewport={"width": 1280, "height": 800}).page
    tip = page.locator(".tip")
    page.locator("#figure-setups .plot").focus()
    for key, words in (("ArrowRight", "5.00×"), ("ArrowDown", "3.00×"), ("ArrowLeft", "5.00×"), ("ArrowUp", "0.40×")):
        page.keyboard.press(key)
        tip.get_by_text(words).wait_for()
        assert page.locator(".told").count() == 1
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    assert page.locator(".plot [tabindex], .plot a, .plot button").count() == 0


def test_a_link_leads_to_its_figure(browser: Any, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{page_file.as_uri()}#figure-latency")
    wait_until_drawn(page)
    wait_until_seen(page.locator("#figure-latency"))


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


@pytest.mark.parametrize("slug", ["speed", "setups"])
def test_a_figure_can_be_taken_along(browser: Any, page_file: Path, slug: str) -> None:
    """In the colours of the light also from the dark, and also one that the page shows without a drawing."""
    watched = Watched(browser, page_file, accept_downloads=True, color_scheme="dark")
    png, csv = (taken_along(watched.page, slug, form) for form in ("png", "csv"))
    assert csv.startswith(b'"label"')
    picture = Image.open(io.BytesIO(png)).convert("L")
    assert picture.width > 1000
    assert picture.getpixel((0, 0)) == 255
    assert min(picture.tobytes()) < 60
    assert watched.said == []


def taken_along(page: Any, slug: str, form: str) -> bytes:
    with page.expect_download() as waiting:
        page.locator(f"[data-{form}={slug}]").click()
    assert waiting.value.suggested_filename == f"{slug}.{form}"
    return Path(waiting.value.path()).read_bytes()


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
