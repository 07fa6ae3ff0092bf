"""What a notebook shows: tables, bars and marks that say what the screen says, and the page in a frame of its own."""

from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.report import runs
from tests.report.browsing import PATIENCE_MS, wait_until_drawn, wait_until_seen
from tests.report.test_hostile import ATTACKS, hostile_run

import torchstone as ts
from torchstone.checking.answer import Answer as CheckAnswer
from torchstone.checking.answer import CheckFinding
from torchstone.measuring.comparing import Comparison
from torchstone.measuring.leaks import LeakReport
from torchstone.records import Measurement
from torchstone.stats import paired_ratio
from torchstone.tuning import Answer as TuneAnswer
from torchstone.tuning import Winner

SLOW, FAST = runs.contest("tune/net/final", {runs.PLAIN: 2.0, runs.CHANNELS_LAST: 1.0})


def compared() -> Comparison:
    a, b = (msgspec.structs.replace(one, name=name) for one, name in ((SLOW, "old"), (FAST, "new")))
    ratio = paired_ratio(a.samples, b.samples)
    return Comparison(a, b, ratio, (ratio.ratio,))


def test_a_measurement_shows_median_interval_and_samples() -> None:
    html = SLOW._repr_html_()
    for cell in ("tune/net/final", "cpu, 8 threads", "24"):
        assert f">{cell}</td>" in html
    assert html.count("<polyline") == 1
    few = msgspec.structs.replace(SLOW, samples=(2.0,))._repr_html_()
    assert "too few samples" in few
    assert "<polyline" not in few


def test_a_failed_one_says_why() -> None:
    html = runs.without("a", "out_of_memory", "needs <12> GiB")._repr_html_()
    assert "<b>out of memory:</b> needs &lt;12&gt; GiB" in html
    assert "too few" not in html


def test_a_comparison_says_its_sentence_and_draws_both_from_nothing() -> None:
    html = compared()._repr_html_()
    assert "new is 2× as fast as old" in html
    assert html.count("width:100.0%") == 1
    assert html.count("width:50.0%") == 1
    assert repr(compared()) == str(compared())


def test_a_comparison_that_failed() -> None:
    failed = runs.without("old", "failed", "it fell")
    assert (
        "cannot be compared: old: failed: it fell" in Comparison(failed, runs.timed("new", 0.1), None, ())._repr_html_()
    )


@pytest.mark.parametrize(("level", "mark", "says_hint"), [("ok", "✓", False), ("problem", "✗", True)])
def test_a_finding_has_a_mark_and_what_to_do(level: Any, mark: str, says_hint: bool) -> None:
    finding = msgspec.structs.replace(runs.finding(), level=level)
    assert mark in finding._repr_html_()
    assert ("what to do: mend it" in finding._repr_html_()) is says_hint
    assert repr(finding) == f"Finding({level}: threads: warning: few; what to do: mend it)"


def test_a_leak_report_lists_its_findings() -> None:
    found = LeakReport((), (runs.finding("leak", "leak", "call", "+1 MB"), runs.finding("leak", "ok", "call", "0")))
    assert found._repr_html_().count("<div>") == 2
    assert "nothing could be followed" in LeakReport((), ())._repr_html_()


def test_a_run_shows_the_screen_of_bench() -> None:
    run = runs.accelerated_run()
    html = unescape(run._repr_html_())
    for words in ("mps trains 8.3 to 17 times as fast as the CPU", "ResNet-50", "Use", "Broken", "Trust"):
        assert words in html
    assert repr(run).startswith("Run(bench of 2026-11-15T22:00:00+00:00 on Apple M4 Max, torch 2.13.0: ")
    assert len(repr(run)) < 200


def test_check_shows_its_screen() -> None:
    finding = CheckFinding(subject="aten::eig", verdict="will_not_run", tier="ci-tables", source="a.py:3", hint="<do>")
    answer = CheckAnswer(verdict="will_not_run", device="mps", stage="preflight", findings=(finding,))
    assert repr(answer).splitlines()[0] == "the model on mps: will not run"
    html = answer._repr_html_()
    for words in ("aten::eig", "a.py:3", "&lt;do&gt;"):
        assert words in html


def test_tune_shows_its_screen() -> None:
    winner = Winner(FAST.setup, 2.0, 1.9, 2.1, 1.0, 1e-6, 0.5, 10.0)
    answer = TuneAnswer(SLOW, (winner,), advice="use the first winner")
    assert repr(answer).splitlines()[0] == "net: use the first winner"
    assert "channels_last" in answer._repr_html_()


class TestThePage:
    def test_of_a_run_of_a_path_and_of_two(self, tmp_path: Path) -> None:
        run = runs.cpu_run()
        path = runs.write_run(tmp_path / "a.jsonl", run)
        assert "<h1>" in ts.report(run).html
        assert ts.report(run).headline == ts.report(path).headline == ts.report(Path(path)).headline
        assert "Intel Xeon (2)" in ts.report(run, path).html
        assert ts.report(run, title="Mine").headline == "Mine"

    def test_it_can_be_kept(self, tmp_path: Path) -> None:
        page = ts.report(runs.cpu_run())
        assert page.save(tmp_path / "page.html").read_text(encoding="utf-8") == page.html
        assert repr(page).startswith(page.headline)

    def test_no_run_is_a_mistake(self) -> None:
        with pytest.raises(ts.UserError, match="which run"):
            ts.report()

    def test_a_run_of_one_record(self) -> None:
        run = runs.make_run(Measurement(name="x", setup=runs.PLAIN, unit="s", samples=(1.0,)))
        assert "<iframe" in ts.report(run)._repr_html_()
        assert "<pre" in run._repr_html_()


@pytest.mark.browser
def test_the_page_works_inline(browser: Any, tmp_path: Path) -> None:
    """In its frame the charts are drawn, nothing of the notebook is reached, and links stay inside."""
    attacked = hostile_run(ATTACKS[0])
    shown: list[Any] = [ts.report(runs.accelerated_run()), *attacked.measurements[:4], *attacked.findings[:4], attacked]
    path = tmp_path / "notebook.html"
    path.write_text("<!doctype html><meta charset=utf-8>" + "".join(one._repr_html_() for one in shown), "utf-8")
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE_MS)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    frame = page.frames[1]
    wait_until_drawn(frame)
    assert frame.locator(".plot .wide:visible").count() >= 2
    frame.locator("nav a").last.click()
    wait_until_seen(frame.locator("#details"))
    assert said == []
