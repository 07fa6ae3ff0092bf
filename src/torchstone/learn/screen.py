"""What the learner sees: a verdict, the list, a hint, as text for a terminal of any width, or for none.

A verdict's order: what the code printed, the failing case, one sentence, the marks, a progress bar, the path.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torchstone.learn.catalog import Exercise
from torchstone.learn.progress import Standing, State
from torchstone.learn.verdicts import MARKS, Failure, Mark, Shown, Verdict
from torchstone.learn.workspace import Workspace, is_solved

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

OUTPUT_LINES = 20
OUTPUT_HEAD = 5
"""Of those, so many from the beginning; the others from the end, where what matters usually is."""
INPUT_LINES = 4
"""Rows of each input that are shown; the rest is in the shape."""
BAR_WIDTH = 40
PLAIN_WIDTH = 120
SIGNS: dict[bool, str] = {True: "✓", False: "✗"}
STARS = {"solved": "●", "lean": "★", "fast": "★"}


def make_console(stderr: bool = False) -> "Console":
    """Rich decides by itself whether there is a terminal; without one the text is plain and not folded at 80."""
    from torchstone.report.terminal import console

    return console(stderr, PLAIN_WIDTH)


def print_verdict(console: "Console", workspace: Workspace, exercise: Exercise, verdict: Verdict) -> None:
    """Everything about one verdict."""
    print_output(console, verdict)
    _print_title(console, exercise)
    for failure in verdict.failures:
        print_failure(console, failure, workspace.file(exercise))
    _print_marks(console, verdict)
    if workspace.progress.trouble:
        console.print(f"! {workspace.progress.trouble}", style="yellow")
    print_bar(console, workspace.progress.read(), workspace.exercises)
    console.print("file  ", _link(workspace.file(exercise)), sep="")
    console.print("task  ", _link(workspace.task_file(exercise)), sep="")


def print_task(console: "Console", exercise: Exercise) -> None:
    """The task as a page: headings, lists, code and links."""
    from rich.markdown import Markdown

    _print_title(console, exercise)
    body = exercise.task.partition("\n")[2].strip()
    console.print(Markdown(body, hyperlinks=True))
    for link in exercise.facts.get("links", "").split():
        console.print(_outer_link(link))


def print_hints(console: "Console", exercise: Exercise, count: int) -> None:
    """The first `count` hints."""
    from rich.markdown import Markdown

    for number, text in enumerate(exercise.hints[:count], 1):
        console.print(f"hint {number} of {len(exercise.hints)}", style="bold")
        console.print(Markdown(text))
        console.print()


def print_failure(console: "Console", failure: Failure, path: Path) -> None:
    """What is wrong, the smallest case that shows it, and the sentence that teaches."""
    console.print(f"✗ {failure.message}", style="bold red")
    if failure.place is not None:
        console.print(f"  {path.name}:{failure.place.line}   {failure.place.text}", style="bright_black")
    for shown in failure.inputs:
        _print_shown(console, shown, INPUT_LINES)
    _print_pair(console, failure.expected, failure.got)
    if failure.teach:
        console.print(f"→ {failure.teach}", style="cyan")
    console.print()


def print_bar(console: "Console", state: State, exercises: Sequence[Exercise]) -> None:
    done = sum(is_solved(state, exercise) for exercise in exercises)
    filled = round(BAR_WIDTH * done / max(1, len(exercises)))
    console.print(f"{'█' * filled}{'░' * (BAR_WIDTH - filled)} {done}/{len(exercises)}")


def print_list(
    console: "Console", state: State, exercises: Sequence[Exercise], chosen: Exercise | None, most: int | None = None
) -> None:
    """The ladder; at most so many exercises around the chosen one."""
    shown = _around(exercises, chosen, most)
    chapter = ""
    for exercise in shown:
        if exercise.chapter != chapter:
            chapter = exercise.chapter
            console.print(chapter.replace("_", " "), style="bold")
        pointer = "›" if exercise is chosen else " "
        line = _list_line(exercise, state.exercises.get(exercise.name, Standing()), pointer)
        # One line each on a narrow terminal, too; a file keeps the whole title.
        console.print(line, no_wrap=console.is_terminal, overflow="ellipsis" if console.is_terminal else None)
    if len(shown) < len(exercises):
        console.print(f"  … {len(exercises)} in all", style="bright_black")


def marks_text(exercise: Exercise, standing: Standing) -> str:
    """`● ★ ·`: a sign for each mark that the exercise offers."""
    return " ".join(STARS[mark] if standing.has(mark) else "·" for mark in exercise.marks)


def _list_line(exercise: Exercise, standing: Standing, pointer: str) -> "Text":
    from rich.text import Text

    elective = "elective" if exercise.elective else ""
    style = "green" if standing.has("solved") else ""
    line = f"{pointer} {exercise.name:<18} {marks_text(exercise, standing):<6} {'▪' * exercise.difficulty:<5} "
    return Text(line, style=style).append(f"{exercise.title} {elective}".rstrip(), style="bright_black")


def _around(exercises: Sequence[Exercise], chosen: Exercise | None, most: int | None) -> Sequence[Exercise]:
    if most is None or len(exercises) <= most:
        return exercises
    position = exercises.index(chosen) if chosen in exercises else 0
    start = max(0, min(position - most // 2, len(exercises) - most))
    return exercises[start : start + most]


def print_output(console: "Console", verdict: Verdict) -> None:
    """What the learner's code printed, its beginning and its end."""
    if not verdict.output.strip():
        return
    lines = verdict.output.rstrip("\n").split("\n")
    console.print("your code printed:", style="bright_black")
    left_out = len(lines) - OUTPUT_LINES
    for number, line in enumerate(lines):
        if left_out > 0 and number == OUTPUT_HEAD:
            console.print(f"  … {left_out} lines …", style="bright_black")
        if left_out <= 0 or number < OUTPUT_HEAD or number >= OUTPUT_HEAD + left_out:
            console.print(f"  {printable(line)[: console.width - 3]}")
    if verdict.output_cut:
        console.print("  … more than is kept", style="bright_black")
    console.print()


def printable(text: str) -> str:
    """Without control characters: what the learner's code prints must not move our cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _print_title(console: "Console", exercise: Exercise) -> None:
    from rich.text import Text

    about = f"   {exercise.chapter} · {'▪' * exercise.difficulty} · about {exercise.minutes} min"
    console.print(Text(exercise.name, style="bold").append(f": {exercise.title}").append(about, style="bright_black"))
    console.print()


def _print_marks(console: "Console", verdict: Verdict) -> None:
    for mark in verdict.offered:
        console.print(_mark_line(verdict, mark))


def _mark_line(verdict: Verdict, mark: Mark) -> "Text":
    from rich.text import Text

    earned = mark in verdict.earned
    graded = [check for check in verdict.checks if check.mark == mark]
    known = bool(graded) and (mark == "solved" or verdict.solved)
    sign, style = ("·", "bright_black") if not known and not earned else (SIGNS[earned], "green" if earned else "red")
    notes = [note for check in graded for note in (check.evidence if earned else None, check.skipped) if note]
    return Text(f"{sign} {mark}", style=style).append(f"   {'; '.join(dict.fromkeys(notes))}", style="bright_black")


def _print_shown(console: "Console", shown: Shown, most: int) -> None:
    one_line = len(shown.lines) == 1 and len(shown.lines[0]) < console.width // 2
    console.print(f"  {shown.label}  ", _dim(shown.kind), f"   {shown.lines[0]}" if one_line else "", sep="")
    if not one_line:
        for line in shown.lines[:most]:
            console.print(f"    {line}")


def _print_pair(console: "Console", expected: Shown | None, got: Shown | None) -> None:
    """Expected and got beside each other where they fit, else below each other."""
    pairs = [(shown, style) for shown, style in ((expected, "green"), (got, "red")) if shown is not None]
    if len(pairs) == 2 and expected is not None and got is not None:
        width = max(len(line) for line in (*expected.lines, f"expected  {expected.kind}")) + 6
        other = max(len(line) for line in (*got.lines, f"got  {got.kind}"))
        if width + other + 2 <= console.width:
            _print_beside(console, expected, got, width)
            return
    for shown, style in pairs:
        console.print(f"  {shown.label}  ", _dim(shown.kind), sep="")
        for line in shown.lines:
            console.print("    ", _highlight(line, style), sep="")


def _print_beside(console: "Console", expected: Shown, got: Shown, width: int) -> None:
    from rich.text import Text

    def head(shown: Shown) -> Text:
        return Text(f"  {shown.label}  ").append(shown.kind, style="bright_black")

    left, right = head(expected), head(got)
    left.pad_right(max(0, width - len(left)))
    console.print(left + right)
    for position in range(max(len(expected.lines), len(got.lines))):
        one = expected.lines[position] if position < len(expected.lines) else ""
        other = got.lines[position] if position < len(got.lines) else ""
        left = Text("    ") + _highlight(one, "green")
        left.pad_right(max(0, width - len(left)))
        console.print(left + Text("    ") + _highlight(other, "red"))


def _highlight(line: str, style: str) -> "Text":
    from rich.text import Text

    text = Text(line)
    text.highlight_regex(r"›[^‹]*‹", f"bold {style}")
    return text


def _dim(text: str) -> "Text":
    from rich.text import Text

    return Text(text, style="bright_black")


def _outer_link(address: str) -> "Text":
    from rich.text import Text

    return Text(address, style=f"bright_black link {address}", overflow="ellipsis", no_wrap=True)


def _link(path: Path) -> "Text":
    from rich.text import Text

    return Text(str(path), style=f"link {path.as_uri()}")


def chapter_rows(state: State, exercises: Sequence[Exercise]) -> list[dict[str, object]]:
    """Progress by chapter and mark."""
    rows = []
    for chapter in dict.fromkeys(exercise.chapter for exercise in exercises):
        members = [exercise for exercise in exercises if exercise.chapter == chapter]
        standings = {exercise.name: state.exercises.get(exercise.name, Standing()) for exercise in members}
        row: dict[str, object] = {"chapter": chapter, "exercises": len(members)}
        for mark in MARKS:
            offered = [exercise for exercise in members if mark in exercise.marks]
            row[mark] = sum(standings[exercise.name].has(mark) for exercise in offered)
            row[f"{mark}_offered"] = len(offered)
        rows.append(row)
    return rows


def praise(verdict: Verdict) -> str:
    """What a learner hears of a solved exercise."""
    missing = [mark for mark in verdict.offered if mark not in verdict.earned]
    return (
        f"Solved. n goes on, or go for {' and '.join(missing)} first." if missing else "Solved, all marks. n goes on."
    )
