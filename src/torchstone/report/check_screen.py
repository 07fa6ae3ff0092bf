"""One screen after `check`: the verdict, what breaks it and where, what to do; a clean model takes a few lines."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from torchstone.report.terminal import format_bytes

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 12
WORDS = {
    "runs": "runs",
    "falls_back": "runs, but falls back to the CPU",
    "will_not_run": "will not run",
    "wrong": "gives wrong answers",
    "unknown": "cannot be said to run",
}
STYLES = {"runs": "green", "falls_back": "yellow", "will_not_run": "red", "wrong": "red", "unknown": "yellow"}


def waiting_for(screen: "Console", target: str) -> AbstractContextManager[object]:
    """A sign of life on a terminal: a large model takes a while, and one that hangs, all that it is given."""
    words = f"{target} is built and followed, for as long as --limit allows"
    return screen.status(words) if screen.is_terminal else nullcontext()


def print_answer(screen: "Console", target: str, answer: dict[str, Any]) -> None:
    """The whole of it."""
    from rich.text import Text

    screen.print(Text(f"{target} on {answer['device']}: {WORDS[answer['verdict']]}", style=STYLES[answer["verdict"]]))
    for problem in answer["problems"][:SHOWN]:
        _print_problem(screen, problem)
    hidden = len(answer["problems"]) - SHOWN
    if hidden > 0:
        screen.print(f"… and {hidden} more: --json shows all")
    first = answer["first_divergence"]
    if first is not None:
        screen.print(f"First wrong at {_place(first)}: {first['subject']}: {first['reason']}", soft_wrap=True)
    _print_summary(screen, answer)


def _print_problem(screen: "Console", problem: dict[str, Any]) -> None:
    calls = f", {problem['calls']} calls" if problem["calls"] > 1 else ""
    dtypes = f" ({', '.join(problem['dtypes'])})" if problem["dtypes"] else ""
    screen.print(f"  {problem['subject']}{dtypes}: {problem['verdict']} [{problem['tier']}]{calls}", soft_wrap=True)
    screen.print(f"    where: {_place(problem)}", soft_wrap=True)
    if problem["reason"]:
        screen.print(f"    why:   {problem['reason']}", soft_wrap=True)
    if problem["hint"]:
        screen.print(f"    do:    {problem['hint']}", soft_wrap=True)


def _place(problem: dict[str, Any]) -> str:
    module = f"module {problem['module']}" if problem["module"] else "the model itself"
    others = problem.get("modules", 1) - 1
    module += f" and {others} more alike" if others > 0 else ""
    if not problem["source"]:
        return f"{module}, {problem['phase']}; not at a line of your own"
    inside = f" in {module}" if problem["module"] or others > 0 else ""
    return f"{problem['source']}{inside}, {problem['phase']}"


def _print_summary(screen: "Console", answer: dict[str, Any]) -> None:
    likely = f", {answer['likely']} of them likely only" if answer["likely"] else ""
    if answer["stage"] == "preflight":
        kinds = "1 kind of call" if answer["calls"] == 1 else f"{answer['calls']} kinds of calls"
        screen.print(f"{kinds} foreseen{likely}")
    if answer["peak_memory_bytes"] is not None:
        fits = {True: ": fits", False: ": does not fit", None: ""}[answer["fits"]]
        room = f" of {format_bytes(answer['memory_bytes'])}" if answer["memory_bytes"] is not None else ""
        screen.print(f"Peak memory, estimated: {format_bytes(answer['peak_memory_bytes'])}{room}{fits}")
    for note in answer["notes"]:
        screen.print(note, soft_wrap=True)
    screen.print(f"Verdict: {answer['verdict']}")
