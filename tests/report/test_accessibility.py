"""What axe-core finds on our pages in a real browser: nothing that a person with a disability would trip over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.from_npm import npm_packages
from tests.report import runs
from tests.report.browsing import Watched
from tests.report.test_learning import write_progress

from torchstone.report.learning import read_learning
from torchstone.report.page import render_page
from torchstone.report.sources import Machine
from torchstone.report.writing import Wish, write_report

pytestmark = [pytest.mark.browser, pytest.mark.npm]
WIDTHS = {"desktop": 1280, "phone": 400}


def write_page(folder: Path, text: str) -> Path:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def one_machine(folder: Path) -> Path:
    return write_page(folder, render_page([Machine("M1 Max", "x.jsonl", runs.typical_run())]))


def two_machines(folder: Path) -> Path:
    other = runs.make_run(*runs.typical_records(), torch="2.12.0")
    machines = [Machine("first", "x.jsonl", runs.typical_run()), Machine("second", "x.jsonl", other)]
    return write_page(folder, render_page(machines))


def index(folder: Path) -> Path:
    (folder / "runs").mkdir()
    runs.write_run(folder / "runs" / "a.jsonl", runs.typical_run())
    (folder / "runs" / "b.jsonl").write_text("{}\n")
    return write_report(Wish((str(folder / "runs"),), folder / "site"))[0]


def learning(folder: Path) -> Path:
    return write_page(folder, render_page([], read_learning(write_progress(folder))))


MAKERS: tuple[Callable[[Path], Path], ...] = (one_machine, two_machines, index, learning)


@pytest.fixture(scope="module")
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of the pages, made once for all that look at it."""
    make: Callable[[Path], Path] = request.param
    return make(tmp_path_factory.mktemp(make.__name__))


def violations(page: Any) -> list[str]:
    """Each rule broken, how grave it is, and where."""
    script = npm_packages() / "axe-core" / "axe.min.js"
    page.evaluate(script.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["testEngine"]["name"] == "axe-core"
    return [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", WIDTHS)
@pytest.mark.parametrize("page_file", MAKERS, indirect=True)
def test_no_violation(browser: Any, page_file: Path, screen: str, scheme: str) -> None:
    viewport = {"width": WIDTHS[screen], "height": 800}
    page = Watched(browser, page_file, color_scheme=scheme, viewport=viewport).page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violation_in_the_dialog_of_samples(browser: Any, tmp_path: Path, scheme: str) -> None:
    page = Watched(browser, one_machine(tmp_path), color_scheme=scheme).page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.locator(".number").first.click()
    page.locator("#samples").wait_for()
    assert violations(page) == []


def test_it_finds_what_is_wrong(browser: Any, tmp_path: Path) -> None:
    """The test above could not fail if axe never ran."""
    page = browser.new_page()
    page.set_content("<html lang=en><title>x</title><main><h1>x</h1><img src='data:,'></main></html>")
    assert [one.partition(":")[0] for one in violations(page)] == ["critical image-alt"]
