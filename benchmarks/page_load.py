"""How long does a page take to open: beside the page of the first wave, and with fifty thousand records?

Why: a page that comes late or freezes the browser is a page that nobody reads, and another person's run file may hold
anything. All pages are made by `torchstone report` from a run file, that of the first wave by the code of its commit in
a work tree of its own, and opened by turns in fresh contexts of one Chromium, with an empty page beside them: what that
takes is the browser's own, and no page can be faster. The figures are medians over the rounds: seconds until something
is painted, until the page is loaded, until the first chart is there (one that is no script's is there with the page),
until those of the first screen are, and until the last chart is. `browser_cpu_s` is the processor time of all of
Chromium's processes up to then: on a machine that is busy with other things it says more than the clock. The last line
is one JSON document.

    python benchmarks/page_load.py --rounds 9
    python benchmarks/page_load.py --quick        # two rounds, without the fifty thousand records
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.report import runs  # noqa: E402
from tests.report.browsing import PATIENCE_MS, open_browser, wait_until_drawn  # noqa: E402
from tests.report.test_hostile import many_records  # noqa: E402

FIRST_WAVE = "e30bdb07b69bc0cd944af9e1225e05112f3254f6"
"""The last commit before the answer stood first on the page."""
EMPTY = """<!doctype html><meta charset=utf-8><title>empty</title><p>empty
<script>document.documentElement.dataset.drawn = 'yes'</script>"""
LIMIT_S = 5.0
GOAL = 0.5
NOTE_WHEN_DRAWN = """
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.dataset.drawn) target.drawnAt = performance.now();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
"""
WEIGHED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
"""Runs a command from a small process: the system counts into a child's peak what the process that began it held."""
POLL_MS = 5
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
READ_TIMES = """() => {
  const plots = [...document.querySelectorAll(".plot")];
  const seen = plots.filter((plot) => plot.getBoundingClientRect().top < innerHeight);
  const all = document.documentElement.drawnAt;  // of a page that says nothing of each chart
  for (const plot of plots) plot.drawnAt ??= all;
  const last = (found) => Math.max(0, ...found.map((plot) => plot.drawnAt)) / 1000;
  const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd / 1000;
  const painted = performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000;
  const shown = (found) => Math.max(painted, last(found));
  const drawn = plots.map((plot) => plot.drawnAt / 1000);
  const first = document.querySelector("#figure-speed .stages") || !drawn.length ? painted : Math.min(...drawn);
  const charts = { first_chart_s: first, first_screen_s: shown(seen), last_chart_s: shown(plots) };
  return { first_paint_s: painted, load_s: loaded, ...charts };
}"""


def make_page(run_file: str, page: Path, source: Path = ROOT) -> dict[str, float]:
    """As a person makes it, in a process of its own, whose peak memory the system knows."""
    command = [sys.executable, "-m", "torchstone", "report", run_file, "-o", str(page)]
    variables = {**os.environ, "PYTHONPATH": str(source / "src")}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", WEIGHED, *command], env=variables, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"torchstone report failed on {run_file}")
    return {
        "making_s": time.perf_counter() - start,
        "making_peak_bytes": int(done.stdout) * (1 if sys.platform == "darwin" else 1024),
        "page_bytes": page.stat().st_size,
    }


@contextmanager
def code_of(commit: str, folder: Path) -> Iterator[Path]:
    """A work tree of that commit, taken away afterwards."""
    tree = folder / "first-wave"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
    try:
        yield tree
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def children_cpu_s() -> float:
    """Of the browser's processes that are alive."""
    found = psutil.Process().children(recursive=True)
    return sum(sum(child.cpu_times()[:2]) for child in found if child.is_running())


def open_page(browser: Any, page: Path) -> dict[str, float]:
    """Twice: for the first paint with nobody looking on, since noting when each chart is drawn delays it."""
    with opened_page(browser) as opened:
        opened.goto(page.as_uri())
        painted_s: float = wait_until_painted(opened)
    with opened_page(browser) as opened:
        opened.add_init_script(NOTE_WHEN_DRAWN)
        before = children_cpu_s()
        opened.goto(page.as_uri())
        wait_until_drawn(opened)
        wait_until_painted(opened)
        times: dict[str, float] = opened.evaluate(READ_TIMES)
        times |= {"browser_cpu_s": children_cpu_s() - before, "first_paint_s": painted_s}
    return times


@contextmanager
def opened_page(browser: Any) -> Iterator[Any]:
    """In a fresh context."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    context.close()


def wait_until_painted(opened: Any) -> float:
    """When that was, in seconds since the page was asked for."""
    while not (found := opened.evaluate(PAINTED)):
        opened.wait_for_timeout(POLL_MS)
    return float(found) / 1000


def as_first_wave_reads(run_file: str, folder: Path) -> str:
    """The same run with its pictures, without the field of its first line that came later: it would be refused."""
    header, _, rest = Path(run_file).read_text(encoding="utf-8").partition("\n")
    known = {name: value for name, value in json.loads(header).items() if name != "asked"}
    copy, pictures = folder / "run.jsonl", Path(run_file).with_suffix(".files")
    if pictures.is_dir():
        shutil.copytree(pictures, copy.with_suffix(".files"))
    copy.write_text(f"{json.dumps(known)}\n{rest}", encoding="utf-8")
    return str(copy)


def make_pages(folder: Path, run_file: str, records: int) -> dict[str, dict[str, float]]:
    """By name: the page of the first wave, the page now, an empty one, and one of many records where asked for."""
    run_file = as_first_wave_reads(run_file, folder)
    with code_of(FIRST_WAVE, folder) as before:
        made = {"before": make_page(run_file, folder / "before.html", before)}
    made["now"] = make_page(run_file, folder / "now.html")
    (folder / "empty.html").write_text(EMPTY, encoding="utf-8")
    made["empty"] = {"page_bytes": len(EMPTY)}
    if records:
        many = runs.write_run(folder / "many.jsonl", runs.make_run(*many_records(records)))
        made["many"] = make_page(many, folder / "many.html")
    return made


def compare(figures: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Now over before; above the empty page too, which is what a page can be blamed for."""
    before, now, empty = figures["before"], figures["now"], figures["empty"]
    ratios = {what: now[what] / before[what] for what in ("first_paint_s", "first_chart_s", "last_chart_s")}
    above = (now["first_paint_s"] - empty["first_paint_s"]) / (before["first_paint_s"] - empty["first_paint_s"])
    within = {
        **{what: ratio <= GOAL for what, ratio in ratios.items()},
        "first_paint_above_empty": above <= GOAL,
    }
    if "many" in figures:
        within["many"] = figures["many"]["first_screen_s"] < LIMIT_S
    return {"now_over_before": ratios, "first_paint_above_empty": above, "within": within}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--run", default=str(ROOT / "examples" / "run.jsonl"), help="the run of which the pages are made"
    )
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    rounds, records = (2, 0) if options.quick else (options.rounds, options.records)
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        figures = make_pages(Path(folder), options.run, records)
        opened: dict[str, list[dict[str, float]]] = {name: [] for name in figures}
        for _ in range(rounds):
            for name, found in opened.items():
                found.append(open_page(browser, Path(folder) / f"{name}.html"))
    for name, found in opened.items():
        figures[name] |= {what: median(times[what] for times in found) for what in found[0]}
    print(json.dumps({"benchmark": "page_load", "records": records, "rounds": rounds, **figures, **compare(figures)}))


if __name__ == "__main__":
    main()
