"""How long does the page of fifty thousand records take to open, beside a quick run's?

Why: another person's run file may hold anything, and a page that freezes the browser is a page that nobody reads. Both
pages are made by `torchstone report` from a run file, and opened by turns in fresh Chromium contexts. The figures are
medians over the rounds: seconds until the page is loaded, until the charts of the first screen are drawn, and until
the last chart is. `browser_cpu_s` is the processor time of all of Chromium's processes up to then: on a machine that is
busy with other things it says more than the clock. The last line is one JSON document.

    python benchmarks/page_load.py --records 50000 --rounds 5
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.report import runs  # noqa: E402
from tests.report.browsing import DRAWN, PATIENCE_MS, open_browser  # noqa: E402
from tests.report.test_hostile import many_records  # noqa: E402

LIMIT_S = 5.0
NOTE_WHEN_DRAWN = """
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.dataset.drawn) target.drawnAt = performance.now();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
"""
READ_TIMES = """() => {
  const plots = [...document.querySelectorAll(".plot")];
  const seen = plots.filter((plot) => plot.getBoundingClientRect().top < innerHeight);
  const last = (found) => Math.max(0, ...found.map((plot) => plot.drawnAt)) / 1000;
  const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd / 1000;
  return { load_s: loaded, first_screen_s: Math.max(loaded, last(seen)), last_chart_s: last(plots) };
}"""


def make_page(run_file: str, page: Path) -> dict[str, float]:
    """As a person makes it, in a process of its own, whose peak memory the system knows."""
    command = [sys.executable, "-m", "torchstone", "report", run_file, "-o", str(page)]
    start = time.perf_counter()
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_CLOSE, 1)])
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"torchstone report failed on {run_file}")
    return {
        "making_s": time.perf_counter() - start,
        "making_peak_bytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "page_bytes": page.stat().st_size,
    }


def children_cpu_s() -> float:
    """Of the browser's processes that are alive."""
    found = psutil.Process().children(recursive=True)
    return sum(sum(child.cpu_times()[:2]) for child in found if child.is_running())


def open_page(browser: Any, page: Path) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    opened.add_init_script(NOTE_WHEN_DRAWN)
    before = children_cpu_s()
    opened.goto(page.as_uri())
    opened.wait_for_function(DRAWN)
    times: dict[str, float] = opened.evaluate(READ_TIMES)
    times["browser_cpu_s"] = children_cpu_s() - before
    context.close()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    made = {"many": runs.make_run(*many_records(options.records)), "quick": runs.typical_run()}
    figures: dict[str, dict[str, float]] = {}
    opened: dict[str, list[dict[str, float]]] = {name: [] for name in made}
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        for name, run in made.items():
            figures[name] = make_page(
                runs.write_run(Path(folder) / f"{name}.jsonl", run), Path(folder) / f"{name}.html"
            )
        for _ in range(options.rounds):
            for name, found in opened.items():
                found.append(open_page(browser, Path(folder) / f"{name}.html"))
    for name, found in opened.items():
        figures[name] |= {what: median(times[what] for times in found) for what in found[0]}
    within = figures["many"]["first_screen_s"] < LIMIT_S
    print(json.dumps({"benchmark": "page_load", "records": options.records, **figures, "within": within}))


if __name__ == "__main__":
    main()
