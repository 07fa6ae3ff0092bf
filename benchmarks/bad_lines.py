"""Command lines that cannot be right, made for every command: what `faults.py` asks the program to refuse.

Each must end with code 2 (or what stands beside it), with `error:` and `hint:`, and without a traceback. Values are
crossed with options, so that a new option of a command is one line here.
"""

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RUN = Path(__file__).parents[1] / "examples" / "run.jsonl"
COMMANDS = (
    ("devices",),
    ("selftest",),
    ("bench",),
    ("report",),
    ("compare",),
    ("learn",),
    ("learn", "init"),
    ("learn", "list"),
    ("learn", "run"),
    ("learn", "hint"),
    ("learn", "reset"),
    ("learn", "solution"),
    ("learn", "check-all"),
    ("learn", "stats"),
    ("learn", "report"),
    ("learn", "dev", "check"),
)
UNKNOWN = ("--nonsense", "--nonsense=1", "-Z", "--JSON", "---", "--json=yes")
NOT_NUMBERS = ("", "abc", "nan", "inf", "-inf", "-1", "0", "1e400", "1,5", "0x10", " ", "1 2", "٣x", "--", "\x1b[2J")
NUMBERS = (
    ("bench", "--budget"),
    ("selftest", "--budget"),
    ("bench", "load", "--latency-bound"),
    ("bench", "finetune", "--learning-rate"),
    ("bench", "finetune", "--processes"),
    ("bench", "finetune", "--epochs"),
    ("compare", str(RUN), str(RUN), "--fail-on-regression"),
    ("learn", "dev", "check", "--jobs"),
)
TAKES_ZERO = "--fail-on-regression"
CHOICES = (("report", str(RUN), "--format"), ("bench", "training", "--protocol"))
NOT_CHOICES = ("", "nonsense", "HTML5", "html,post", " html", "../html", "post ", "é")
WITH_VALUE = (
    *NUMBERS,
    *CHOICES,
    ("bench", "--device"),
    ("bench", "--runs"),
    ("bench", "--model"),
    ("bench", "--input"),
    ("bench", "--data"),
    ("bench", "--resume"),
    ("bench", "--checkpoint"),
    ("selftest", "--device"),
    ("selftest", "--runs"),
    ("report", str(RUN), "--output"),
    ("report", "--learn"),
    ("report", str(RUN), "--title"),
    ("learn", "--dir"),
    ("learn", "--device"),
    ("learn", "list", "--dir"),
)
NO_DEVICES = ("nonsense", "cuda:99", "cpu:99", "mps:-1", "../cpu", "cpu cpu", "é", "x" * 3000, ":", "cuda:one", "0")
NO_EXPERIMENTS = ("nonsense", "inference.py", "../inference", "INFERENCE", "é", "x" * 300, "a b", "*")
NO_URLS = ("nonsense://runs", "://", "file://")
OPTIONS_OF_OTHERS = (
    ("bench", "transfer", "--data", "."),
    ("bench", "transfer", "--epochs", "3"),
    ("bench", "images", "--protocol", "budget"),
    ("bench", "inference", "--latency-bound", "1"),
    ("bench", "leak", "--resume", "x"),
)


@dataclass(frozen=True)
class Line:
    """A command line and the exit codes that are right for it."""

    arguments: tuple[str, ...]
    codes: tuple[int, ...] = (2,)


def bad_lines(folder: Path) -> list[Line]:
    """All of them; what they name is made in the folder."""
    files = make_bad_files(folder)
    learner = str(folder / "no learner")
    (folder / "no learner").mkdir()
    plain = [
        *itertools.product(COMMANDS, UNKNOWN),
        *itertools.product(NUMBERS, NOT_NUMBERS),
        *itertools.product(CHOICES, NOT_CHOICES),
    ]
    lines = [(*words, value) for words, value in plain if not (words[-1] == TAKES_ZERO and value == "0")]
    lines += WITH_VALUE
    lines += [(*words, name) for words in (("bench", "--device"), ("selftest", "--device")) for name in NO_DEVICES]
    lines += [("bench", name) for name in NO_EXPERIMENTS]
    lines += OPTIONS_OF_OTHERS
    lines += [("nonsense",), ("--nonsense",), ("BENCH",), ("bench ", "x"), ("",), ("learn", "nonsense"), ("learn", "")]
    lines += list(_lines_with_files(files, folder))
    lines += list(_lines_for_learners(learner))
    return [Line(line) for line in lines]


def _lines_with_files(files: list[str], folder: Path) -> Iterator[tuple[str, ...]]:
    for file in files[::4]:  # these come as far as a worker, which takes seconds
        yield "bench", "finetune", "--resume", file, "--budget", "1", "--runs", str(folder / "runs")
    for file in files:
        yield "report", file, "-o", str(folder / "page.html")
        yield "report", f"label={file}", "--format", "markdown", "-o", str(folder / "page.md")
        yield "report", str(RUN), file, "-o", str(folder / "page.html")
        yield "compare", str(RUN), file
        yield "compare", file, str(RUN), "--json"
        yield "report", file, str(RUN), "--format", "post", "-o", str(folder / "post")
    for place in (*_bad_places(folder), *NO_URLS):
        yield "bench", "transfer", "--device", "cpu", "--runs", place
        yield "selftest", "--device", "cpu", "--runs", place
    for place in _bad_places(folder):
        yield "report", str(RUN), "-o", f"{place}/page.html"
        yield "report", str(RUN), "--format", "markdown", "-o", f"{place}/page.md"
        yield "report", str(RUN), "--format", "post", "-o", place
        yield "report", str(RUN), "--format", "svg", "-o", place
        yield "report", "--learn", place
        yield "learn", "init", place
        yield "learn", "--dir", place, "list"


def _lines_for_learners(folder: str) -> Iterator[tuple[str, ...]]:
    for words in (("list",), ("run",), ("hint",), ("solution",), ("check-all",), ("stats",), ("reset", "--yes")):
        yield "learn", words[0], "--dir", folder, *words[1:]
        yield "learn", "--dir", folder, *words, "--json"
    yield "learn", "--dir", folder
    yield "learn", "report", "--dir", folder
    for name in ("nonsense", "../views", "", "x" * 300, "é"):
        yield "learn", "dev", "check", name


def make_bad_files(folder: Path) -> list[str]:
    """Files, and what is none, that no command can take for a run."""
    header = RUN.read_bytes().split(b"\n", 1)[0]
    contents = {
        "empty": b"",
        "newline": b"\n",
        "text": b"hello\n",
        "binary": bytes(range(256)) * 16,
        "null": b"null\n",
        "list": b"[]\n",
        "no schema": b"{}\n",
        "other schema": b'{"schema": "other/1"}\n',
        "newer schema": header.replace(b'"torchstone/', b'"torchstone/9', 1) + b"\n",
        "half a line": header[: len(header) // 2],
        "half a header": header[: len(header) // 2] + b"\n",
        "brackets": b"[" * 100_000 + b"\n",
        "wrong record": header + b'\n{"record": "measurement", "name": 3}\n',
        "torn inside": header + b'\n{"record": "meas\n{"record": "finding"}\n',
        "zeros": bytes(100_000),
        "no utf-8": b'{"schema": "\xff\xfe"}\n',
    }
    for name, content in contents.items():
        (folder / f"{name}.jsonl").write_bytes(content)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    (folder / "nowhere.jsonl").symlink_to("not there")
    made = [str(folder / f"{name}.jsonl") for name in (*contents, "pipe", "loop", "nowhere")]
    return [*made, str(folder / "absent.jsonl"), "/dev/zero", "/dev/null", f"{folder}/{'x' * 300}.jsonl"]


def _bad_places(folder: Path) -> tuple[str, ...]:
    """Folders that nobody can write into, root neither."""
    loop = folder / "loop"
    if not loop.is_symlink():
        loop.symlink_to("loop")
    return ("/dev/null", "/proc/none", str(RUN), f"{folder}/{'x' * 300}", str(loop), f"{folder}/{'y/' * 3000}")
