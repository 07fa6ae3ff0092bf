"""What do bad command lines, `kill -9` and signals leave behind? Nothing, this asserts.

Why: a measurement that runs for an hour must not lose what it has found, nor leave a worker that burns the processor,
and a mistake must be a sentence. Command lines that cannot be right (`bad_lines.py`) are asked of the program in forked
processes that have torch loaded; `bench` (forked and spawned), `learn`, its watch mode and `report` are killed, and
signalled once or twice, at random moments from the one on at which the program has taken the signals over: before that
Python itself answers, and it says what it likes. Linux only: it looks into /proc.

`tracebacks`, `survivors` (of all that a program has started), `folders` (temporary ones, after the next start),
`lost_records` and `wrong_codes` must be 0. `late` counts programs that took more than two seconds to leave and
processes that were there three seconds after a kill: on a machine that is busy with other things that can happen.
"""

import argparse
import contextlib
import functools
import json
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bad_lines import RUN, Line, bad_lines
from torchstone.processes import ForkServer, Handle, Limits, python_command, start, wait_for_any

MARK = "TORCHSTONE_FAULT"
SUMMED_UP = "torchstone report "
"""How the screen of `bench` ends."""
PRELOAD = ("torch", "rich.console", "msgspec", "jinja2", "torchstone.commands")
LINE_LIMITS = Limits(seconds=120.0)
PROMISED_EXIT_S = 2.0
PROMISED_END_S = 3.0
PATIENCE_S = 60.0
"""Until a process that is still there counts as a survivor, however busy the machine is."""
BUDGET_S = 8.0
QUICK_LINES, QUICK_KILLS, QUICK_SIGNALS = 60, 2, 3
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
RECORD_TOLD = "s left] "


@dataclass
class Faults:
    """What went wrong, counted, with some words on each."""

    counts: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    slowest_exit_s: float = 0.0

    def add(self, kind: str, words: str) -> None:
        self.counts[kind] += 1
        self.told.append(f"{kind}: {words}")
        print(self.told[-1], file=sys.stderr)


# Bad command lines.


def ask(arguments: tuple[str, ...], folder: str) -> int:
    """In a forked process: the program with these arguments."""
    from torchstone.cli import run

    os.chdir(folder)
    os.environ.update(TORCHSTONE_RUNS=f"{folder}/runs", TMPDIR=folder)
    return run(list(arguments))


def try_lines(lines: list[Line], folder: Path, jobs: int, faults: Faults) -> None:
    waiting = list(lines)
    running: dict[Handle, Line] = {}
    with ForkServer(PRELOAD) as server:
        while waiting or running:
            while waiting and len(running) < jobs:
                line = waiting.pop(0)
                call = functools.partial(ask, line.arguments, str(folder))
                running[start(call, limits=LINE_LIMITS, forked=server)] = line
            for handle in wait_for_any(running):
                judge_line(running.pop(handle), handle, faults)


def judge_line(line: Line, handle: Handle, faults: Faults) -> None:
    outcome = handle.wait()
    shown = " ".join(word if len(word) < 40 else f"{word[:20]}…" for word in line.arguments)
    if outcome.ended != "returned" or "Traceback" in outcome.output:
        faults.add("tracebacks", f"`{shown}` {outcome.ended}: {(outcome.detail or outcome.output)[-400:]}")
    elif outcome.value not in line.codes:
        faults.add("wrong_codes", f"`{shown}` gave {outcome.value}: {outcome.output[-200:]}")
    elif "error: " not in outcome.output or "hint: " not in outcome.output:
        faults.add("wrong_codes", f"`{shown}` has no error and hint: {outcome.output[-200:]}")


# Kills and signals.


@dataclass(frozen=True)
class Program:
    """What is started, and about how long it runs."""

    name: str
    arguments: tuple[str, ...]
    seconds: float
    environment: dict[str, str] = field(default_factory=dict)
    on_terminal: bool = False


@dataclass(frozen=True)
class Trial:
    """A program and what happens to it."""

    program: Program
    signals: tuple[int, ...]
    after_s: float


def programs(folder: Path) -> tuple[Program, ...]:
    learner = folder / "learner"
    with contextlib.redirect_stdout(sys.stderr):
        from torchstone.learn.workspace import init

        workspace, _ = init(learner)
    exercise = workspace.exercises[0]
    workspace.file(exercise).write_bytes(exercise.solution.read_bytes())
    bench = ("bench", "transfer", "--device", "cpu", "--verbose", "--budget", str(BUDGET_S))
    learn = ("learn", "--dir", str(learner), "--device", "cpu")
    return (
        Program("bench forked", bench, BUDGET_S + 4.0),
        Program("bench spawned", bench, BUDGET_S + 4.0, {"TORCHSTONE_NO_FORK": "1"}),
        Program("learn run", (*learn, "run", exercise.name), 5.0),
        Program("learn watch", learn, 6.0, on_terminal=True),
        Program("report", ("report", str(RUN), "-o", "page.html"), 1.5),
    )


def draw_trials(choices: tuple[Program, ...], kills: int, signalled: int, seed: int) -> list[Trial]:
    """Half of them on `bench`, at moments from the first to the last."""
    draw = random.Random(seed)
    weighted = (choices[0], choices[1], *choices) if kills > len(choices) else choices[:2]
    for_signals = weighted if kills > len(choices) else (choices[1], choices[3], choices[0])
    found = [
        Trial(program, (signal.SIGKILL,), draw.random() * program.seconds)
        for program in (weighted[number % len(weighted)] for number in range(kills))
    ]
    for number in range(signalled):
        program = for_signals[number % len(for_signals)]
        which = (signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[number % 5]
        found.append(Trial(program, (which,) * (1 + number % 2), draw.random() * program.seconds))
    return found


def run_trial(trial: Trial, faults: Faults, number: int) -> bool:
    """Whether the program was still there to be hit."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        mark = f"{os.getpid()}-{number}-{time.time_ns()}"
        shown = (
            f"{trial.program.name}, {[signal.Signals(one).name for one in trial.signals]} after {trial.after_s:.2f} s"
        )
        with started(trial.program, folder, mark) as (process, terminal):
            wait_for_handlers(process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(trial.after_s)
                check_folders(trial, folder, shown, faults)
                return False
            begun = time.monotonic()
            for one in trial.signals:
                process.send_signal(one)
                time.sleep(0.05 if len(trial.signals) > 1 else 0.0)
            process.wait()
            left_s = time.monotonic() - begun
            judge_terminal(terminal, trial, shown, faults)
        if trial.signals[0] != signal.SIGKILL:
            judge_exit(trial, process.returncode, left_s, shown, faults)
        judge_survivors(mark, shown, faults)
        judge_words(folder, trial, shown, faults)
        judge_records(folder, trial, shown, faults)
        check_folders(trial, folder, shown, faults)
    return True


@contextlib.contextmanager
def started(
    program: Program, folder: Path, mark: str
) -> Iterator[tuple["subprocess.Popen[bytes]", tuple[int, int] | None]]:
    environment = {
        **os.environ,
        **program.environment,
        MARK: mark,
        "TMPDIR": str(folder / "tmp"),
        "TORCHSTONE_RUNS": str(folder / "runs"),
        "OMP_NUM_THREADS": "1",
    }
    terminal = pty.openpty() if program.on_terminal else None
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            python_command("torchstone", *program.arguments),
            stdin=terminal[1] if terminal else subprocess.DEVNULL,
            stdout=terminal[1] if terminal else output,
            stderr=errors,
            env=environment,
            cwd=folder,
            # Whoever runs this in the background hands on that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    drain = drained(terminal[0]) if terminal else contextlib.nullcontext()
    try:
        with process, drain:
            try:
                yield process, terminal
            finally:
                process.kill()
    finally:
        for descriptor in terminal or ():
            os.close(descriptor)


@contextlib.contextmanager
def drained(descriptor: int) -> Iterator[None]:
    """Somebody looks at the terminal: one that nobody reads would fill and stop the program."""
    import threading

    done = threading.Event()

    def read() -> None:
        os.set_blocking(descriptor, False)
        while not done.wait(0.02):
            with contextlib.suppress(OSError):
                os.read(descriptor, 1 << 16)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def wait_for_handlers(process: "subprocess.Popen[bytes]") -> None:
    """Until SIGTERM is caught, by the kernel's own account."""
    while process.poll() is None:
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            caught = next(line.split()[1] for line in lines if line.startswith("SigCgt:"))
            if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
                return
        time.sleep(0.001)


def judge_exit(trial: Trial, code: int, left_s: float, shown: str, faults: Faults) -> None:
    faults.slowest_exit_s = max(faults.slowest_exit_s, left_s)
    if left_s > PROMISED_EXIT_S:
        faults.add("late", f"{shown} left after {left_s:.2f} s")
    if code != CODES[signal.Signals(trial.signals[0])]:
        faults.add("wrong_codes", f"{shown} gave {code}")


def judge_survivors(mark: str, shown: str, faults: Faults) -> None:
    begun = time.monotonic()
    time.sleep(0.2)
    while (alive := marked(mark)) and time.monotonic() - begun < PATIENCE_S:
        if time.monotonic() - begun > PROMISED_END_S and "late" not in shown:
            shown = f"late, {shown}"
            faults.add("late", f"{shown}: {[one.cmdline()[-3:] for one in alive if one.is_running()]}")
        time.sleep(0.1)
    for one in alive:
        faults.add("survivors", f"{shown}: {one}")
        with contextlib.suppress(psutil.Error):
            one.kill()


def marked(mark: str) -> list[psutil.Process]:
    """The living processes that have inherited our mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, psutil.Error):
            if f"{MARK}={mark}".encode() in (path / "environ").read_bytes():
                process = psutil.Process(int(path.name))
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
    return found


def judge_terminal(terminal: tuple[int, int] | None, trial: Trial, shown: str, faults: Faults) -> None:
    if terminal is None or trial.signals[0] == signal.SIGKILL:
        return
    local_modes = termios.tcgetattr(terminal[1])[3]
    if not local_modes & termios.ICANON or not local_modes & termios.ECHO:
        faults.add("terminals", f"{shown}: not put back")


def judge_words(folder: Path, trial: Trial, shown: str, faults: Faults) -> None:
    said = (folder / "errors").read_text(errors="replace") + (folder / "output").read_text(errors="replace")
    if "Traceback" in said or "Exception ignored" in said or "Fatal Python" in said:
        faults.add("tracebacks", f"{shown}: {said[-1500:]}")


def judge_records(folder: Path, trial: Trial, shown: str, faults: Faults) -> None:
    """Every record that was told is whole in the run file, and a signal still sums up."""
    if not trial.program.name.startswith("bench"):
        return
    told = (folder / "errors").read_text(errors="replace").count(RECORD_TOLD)
    kept = [path.read_bytes().split(b"\n")[1:-1] for path in (folder / "runs").glob("*.jsonl")]
    whole = sum(1 for lines in kept for line in lines if json.loads(line))
    if whole < told:
        faults.add("lost_records", f"{shown}: {told} were told, {whole} are kept")
    if trial.signals[0] != signal.SIGKILL and told and SUMMED_UP not in (folder / "output").read_text():
        faults.add("no_sum", f"{shown}: {told} records and no summary")


def check_folders(trial: Trial, folder: Path, shown: str, faults: Faults) -> None:
    """After the next start, however short it is."""
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    subprocess.run(python_command("torchstone", "--version"), env=environment, stdout=subprocess.DEVNULL, check=True)
    left = [path.name for path in (folder / "tmp").iterdir() if path.name.startswith("torchstone-")]
    if left:
        faults.add("folders", f"{shown}: {left}")


def run_trials(trials: list[Trial], jobs: int, faults: Faults, redraw: Callable[[Trial], Trial]) -> Counter[str]:
    """Each until it has hit a program that was still running."""
    hit: Counter[str] = Counter()

    def run(numbered: tuple[int, Trial]) -> Trial:
        number, trial = numbered
        while not run_trial(trial, faults, number):
            trial = redraw(trial)
        return trial

    with ThreadPoolExecutor(jobs) as pool:
        for number, trial in enumerate(pool.map(run, enumerate(trials)), 1):
            hit[f"{trial.program.name}, {'killed' if trial.signals[0] == signal.SIGKILL else 'signalled'}"] += 1
            print(f"{number}/{len(trials)} {trial.program.name} {dict(faults.counts)}", file=sys.stderr)
    return hit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a sample, under a minute")
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--signals", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    draw = random.Random(options.seed)
    faults = Faults()
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        (folder / "lines").mkdir()
        lines = bad_lines(folder / "lines")
        if options.quick:
            lines = draw.sample([line for line in lines if "--resume" not in line.arguments], QUICK_LINES)
        try_lines(lines, folder / "lines", options.jobs, faults)
        kills = QUICK_KILLS if options.quick else options.kills
        signalled = QUICK_SIGNALS if options.quick else options.signals
        trials = draw_trials(programs(folder), kills, signalled, options.seed)
        earlier = lambda trial: Trial(trial.program, trial.signals, draw.random() * trial.after_s)  # noqa: E731
        hit = run_trials(trials, options.jobs, faults, earlier)
    kinds = ("tracebacks", "survivors", "folders", "lost_records", "wrong_codes", "no_sum", "terminals", "late")
    print(
        json.dumps(
            {
                "benchmark": "faults",
                "seed": options.seed,
                "bad_lines": len(lines),
                "hit": dict(hit),
                **{kind: faults.counts[kind] for kind in kinds},
                "slowest_exit_s": round(faults.slowest_exit_s, 2),
                "told": faults.told[:20],
            }
        )
    )


if __name__ == "__main__":
    main()
