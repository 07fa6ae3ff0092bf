"""Makes the examples anew: a real run of this machine's CPU, its page, its post, and the README's two pictures: the
screen that `bench` ends with, and the first screen of the page.

    make examples                                        # measures for ten minutes
    python examples/make.py --budget 60 -- training      # a shorter run of one experiment
    python examples/make.py --run RUN                    # the page, the post and the pictures of a run that is there

The pictures need Debian's chromium. Let the machine be quiet: the run says so where it was not.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

EXAMPLES = Path(__file__).parent
RUN = EXAMPLES / "run.jsonl"
PAGE = EXAMPLES / "report.html"
POST = EXAMPLES / "post"
PICTURE = EXAMPLES / "report.png"
SCREEN_RECORDER = EXAMPLES.parent / "docs" / "record_screen.py"
SLUG = "what-a-small-machine-is-worth"
PICTURES = (".png", ".jpg")
"""Of what a run keeps beside itself: not the checkpoint, which is large."""
LARGEST_PAGE_BYTES = 1_500_000
LARGEST_BYTES = 5_000_000
"""Of all examples: they are cloned with the code."""


def torchstone(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "torchstone", *arguments], check=True)


def measure(budget_s: float, wanted: Sequence[str]) -> None:
    """A run in a folder of its own, which then takes the example's place with the pictures that it kept."""
    with tempfile.TemporaryDirectory() as folder:
        torchstone("bench", "--device", "cpu", "--budget", str(budget_s), "--runs", folder, *wanted)
        (found,) = Path(folder).glob("*.jsonl")
        put(found, RUN)


def put(found: Path, place: Path) -> None:
    if found.resolve() == place.resolve():
        return
    shutil.copy(found, place)
    kept, pictures = found.with_suffix(".files"), place.with_suffix(".files")
    shutil.rmtree(pictures, ignore_errors=True)
    if kept.is_dir():
        pictures.mkdir()
        for picture in sorted(kept.iterdir()):
            if picture.suffix in PICTURES:
                shutil.copy(picture, pictures)


def take_picture() -> None:
    """The first screen of the page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(PAGE.resolve().as_uri(), timeout=0)
        page.locator("html[data-drawn=yes]").wait_for(state="attached", timeout=0)
        page.screenshot(path=PICTURE, timeout=0)
        browser.close()


def check_sizes() -> None:
    whole = sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file())
    if PAGE.stat().st_size > LARGEST_PAGE_BYTES or whole > LARGEST_BYTES:
        raise SystemExit(f"too large to keep: the page {PAGE.stat().st_size} bytes, all examples {whole}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=600.0, help="seconds to measure for")
    parser.add_argument("--run", type=Path, help="a run file to take instead of measuring")
    parser.add_argument("wanted", nargs="*", help="what else to tell `torchstone bench`; after --")
    options = parser.parse_args()
    if options.run is None:
        measure(options.budget, options.wanted)
    else:
        put(options.run, RUN)
    shutil.rmtree(POST, ignore_errors=True)
    torchstone("report", str(RUN), "-o", str(PAGE))
    torchstone("report", str(RUN), "--format", "post", "--slug", SLUG, "-o", str(POST))
    subprocess.run([sys.executable, str(SCREEN_RECORDER), str(RUN)], check=True)
    take_picture()
    check_sizes()


if __name__ == "__main__":
    main()
