"""Records docs/bench-screen.svg: the screen that `torchstone bench` ends with, of a run file that is there.

python docs/record_screen.py examples/run.jsonl
"""

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from torchstone.report.bench_screen import print_screen
from torchstone.store import read_run

PICTURE = Path(__file__).with_name("bench-screen.svg")
COLUMNS = 104


def record(run_file: str) -> None:
    """The same lines that a terminal gets, drawn."""
    screen = Console(file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True, color_system="truecolor")
    screen.print(Text("$ torchstone bench", style="bold green"))
    print_screen(screen, read_run(run_file), "last")
    screen.save_svg(str(PICTURE), title="torchstone bench")


if __name__ == "__main__":
    record(sys.argv[1])
