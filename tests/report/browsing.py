"""A page opened in a real Chromium, with everything that it said and asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PATIENCE_MS = 240_000
"""For a machine that is busy with other things: how long a page takes is asked by a benchmark, not by a test."""


@contextmanager
def open_browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


def wait_until_drawn(page: Any) -> None:
    """Every chart is there; asked without eval, which our pages forbid."""
    page.locator("html[data-drawn=yes]").wait_for(state="attached", timeout=PATIENCE_MS)


def wait_until_seen(place: Any) -> None:
    from playwright.sync_api import expect

    expect(place).to_be_in_viewport(timeout=PATIENCE_MS)


class Watched:
    """A page with everything that it said and asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.page = browser.new_context(**options).new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._note_alert)
        self.page.on("request", lambda request: self.asked.append(request.url.partition(",")[0]))
        self.page.goto(path.as_uri())
        wait_until_drawn(self.page)

    def _note_alert(self, dialog: Any) -> None:
        self.said.append("an alert")
        dialog.dismiss()

    def what_column(self, section: str) -> list[str]:
        found: list[str] = self.page.locator(f"{section} tbody tr:visible td:first-child").all_inner_texts()
        return found
