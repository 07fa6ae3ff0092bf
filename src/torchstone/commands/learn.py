"""Teach me: a ladder of PyTorch exercises, graded as you save."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torchstone.commands.learning.dev import dev
from torchstone.commands.learning.options import NOT_YET, json_option, name_argument
from torchstone.options import print_json

if TYPE_CHECKING:
    from torchstone.learn.catalog import Exercise
    from torchstone.learn.verdicts import Verdict
    from torchstone.learn.workspace import Workspace

dir_option = click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default=None, help="The folder of exercises. Default: this one."
)
device_option = click.option(
    "--device", metavar="NAME", default=None, help="Where to grade: cpu, mps, cuda, pretend … Default: the best here."
)


@click.group(invoke_without_command=True)
@dir_option
@device_option
@json_option
@click.pass_context
def command(context: click.Context, folder: Path | None, device: str | None, as_json: bool) -> None:
    """Teach me: a ladder of PyTorch exercises, graded as you save.

    Alone it watches the next unsolved exercise: save the file in your own editor and see the verdict. Start with
    `torchstone learn init DIR`. Without a terminal it grades the next unsolved exercise once.
    """
    context.obj = {"folder": folder, "device": device}
    if context.invoked_subcommand is not None:
        return
    workspace = _workspace(folder)
    if as_json or not _is_terminal():
        context.exit(_run(workspace, None, device, as_json))
    from torchstone.learn.watch import watch

    watch(workspace, device)


@command.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("torchstone-learn"))
@json_option
def init(folder: Path, as_json: bool) -> None:
    """Copy the starters into a folder (default: torchstone-learn); nothing that is there is overwritten."""
    from torchstone.learn.workspace import init as init_workspace

    workspace, new = init_workspace(folder)
    if as_json:
        print_json("learn init", folder=str(workspace.folder), added=[exercise.name for exercise in new])
        return
    click.echo(f"{len(new)} exercises added to {workspace.folder} ({len(workspace.exercises)} in all)")
    click.echo(f"now: cd {workspace.folder} && torchstone learn")


@command.command("list")
@dir_option
@json_option
@click.pass_context
def list_exercises(context: click.Context, folder: Path | None, as_json: bool) -> None:
    """Show all exercises and the marks earned."""
    from torchstone.learn.screen import make_console, print_bar, print_list

    workspace = _workspace(folder or context.obj["folder"])
    state = workspace.progress.read()
    if as_json:
        print_json("learn list", folder=str(workspace.folder), exercises=_rows(workspace))
        return
    console = make_console()
    print_list(console, state, workspace.exercises, workspace.next_unsolved())
    print_bar(console, state, workspace.exercises)
    _tell_trouble(workspace)


@command.command()
@name_argument
@dir_option
@device_option
@json_option
@click.pass_context
def run(context: click.Context, name: str | None, folder: Path | None, device: str | None, as_json: bool) -> None:
    """Grade an exercise once; exit code 0 when solved, 1 when not yet."""
    workspace = _workspace(folder or context.obj["folder"])
    context.exit(_run(workspace, name, device or context.obj["device"], as_json))


@command.command()
@name_argument
@dir_option
@device_option
@click.option("--seed", type=int, default=None, help="Draw the cases of an earlier verdict again.")
@click.pass_context
def debug(context: click.Context, name: str | None, folder: Path | None, device: str | None, seed: int | None) -> None:
    """Replay the first failing case in Python's debugger; your own breakpoint() works too."""
    workspace = _workspace(folder or context.obj["folder"])
    exercise = _exercise(workspace, name)
    source = workspace.read(exercise)
    from torchstone.learn.debugging import debug as replay

    place = device or context.obj["device"] or "cpu"
    found = replay(exercise, workspace.file(exercise), source.content, place, seed, click.echo)
    context.exit(NOT_YET if found else 0)


@command.command()
@name_argument
@dir_option
@json_option
@click.pass_context
def hint(context: click.Context, name: str | None, folder: Path | None, as_json: bool) -> None:
    """Show the next hint of an exercise, and those before it."""
    workspace = _workspace(folder or context.obj["folder"])
    exercise = _exercise(workspace, name)
    hints = exercise.hints
    count = min(workspace.progress.standing(exercise.name).hints + 1, len(hints))
    workspace.progress.see_hint(exercise.name, count)
    if as_json:
        print_json(
            "learn hint",
            exercise=exercise.name,
            hints=list(hints[:count]),
            of=len(hints),
            trouble=workspace.progress.trouble,
        )
        return
    for number, text in enumerate(hints[:count], 1):
        click.echo(f"{exercise.name}, hint {number} of {len(hints)}\n{text}\n")
    _tell_trouble(workspace)


@command.command()
@name_argument
@dir_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def reset(context: click.Context, name: str | None, folder: Path | None, yes: bool, as_json: bool) -> None:
    """Put an exercise's starter back; the file that was there is kept."""
    workspace = _workspace(folder or context.obj["folder"])
    exercise = _exercise(workspace, name)
    if not _confirmed(f"put the starter of {exercise.name} back and forget its marks?", yes or as_json):
        context.exit(NOT_YET)
    backup = workspace.reset(exercise)
    if as_json:
        print_json(
            "learn reset",
            exercise=exercise.name,
            backup=str(backup) if backup else None,
            trouble=workspace.progress.trouble,
        )
        return
    click.echo(f"{workspace.file(exercise)} is the starter again")
    if backup is not None:
        click.echo(f"what was there is kept: {backup}")
    _tell_trouble(workspace)


@command.command()
@name_argument
@dir_option
@click.option("--yes", is_flag=True, help="Show it even before the exercise is solved.")
@json_option
@click.pass_context
def solution(context: click.Context, name: str | None, folder: Path | None, yes: bool, as_json: bool) -> None:
    """Show a solution: once solved, or with --yes."""
    workspace = _workspace(folder or context.obj["folder"])
    exercise = _exercise(workspace, name)
    solved = workspace.progress.standing(exercise.name).has("solved")
    if not solved and not _confirmed(f"{exercise.name} is not solved yet: see its solution all the same?", yes):
        context.exit(NOT_YET)
    text = exercise.solution.read_text(encoding="utf-8")
    if as_json:
        print_json("learn solution", exercise=exercise.name, solution=text)
    else:
        click.echo(text, nl=False)


@command.command("check-all")
@dir_option
@device_option
@json_option
@click.pass_context
def check_all(context: click.Context, folder: Path | None, device: str | None, as_json: bool) -> None:
    """Grade every exercise that you have begun; exit code 0 when all of those are solved."""
    from torchstone.learn.grader import Grader
    from torchstone.learn.sweep import grade_begun

    workspace = _workspace(folder or context.obj["folder"])
    with Grader(device or context.obj["device"]) as grader:
        grader.check_device()
        verdicts = []
        for verdict in grade_begun(workspace, grader):
            verdicts.append(verdict)
            click.echo(_one_line(verdict), err=as_json)
    if as_json:
        print_json(
            "learn check-all",
            verdicts=[_verdict_json(verdict) for verdict in verdicts],
            trouble=workspace.progress.trouble,
        )
    elif not verdicts:
        click.echo("nothing to check: no file has changed since it was a starter")
    _tell_trouble(workspace)
    context.exit(0 if all(verdict.solved for verdict in verdicts) else NOT_YET)


@command.command()
@dir_option
@json_option
@click.pass_context
def stats(context: click.Context, folder: Path | None, as_json: bool) -> None:
    """Show progress by chapter and mark."""
    from torchstone.learn.screen import chapter_rows, make_console, print_bar

    workspace = _workspace(folder or context.obj["folder"])
    state = workspace.progress.read()
    rows = chapter_rows(state, workspace.exercises)
    if as_json:
        print_json("learn stats", chapters=rows)
        return
    console = make_console()
    console.print(f"{'chapter':<20} {'solved':>8} {'lean':>8} {'fast':>8}", style="bold")
    for row in rows:
        counts = [f"{row[mark]}/{row[f'{mark}_offered']}" for mark in ("solved", "lean", "fast")]
        console.print(f"{row['chapter']!s:<20} {counts[0]:>8} {counts[1]:>8} {counts[2]:>8}")
    print_bar(console, state, workspace.exercises)
    _tell_trouble(workspace)


@command.command()
@dir_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("learning.html"), help="The page.")
@json_option
@click.pass_context
def report(context: click.Context, folder: Path | None, output: Path, as_json: bool) -> None:
    """Make a page of your progress, with its pictures."""
    from torchstone.report.writing import Wish, write_report

    learner = folder or context.obj["folder"] or Path.cwd()
    written = write_report(Wish((), output, learn_folder=learner))
    if as_json:
        print_json("learn report", files=[str(path) for path in written])
    else:
        click.echo(str(written[0]))


@command.command()
@dir_option
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("cards"), help="A folder for them.")
@json_option
@click.pass_context
def cards(context: click.Context, folder: Path | None, output: Path, as_json: bool) -> None:
    """Make a card of each chapter, an SVG that shows how far you have come."""
    from torchstone.report.learning import read_cards

    found = read_cards(folder or context.obj["folder"] or Path.cwd())
    output.mkdir(parents=True, exist_ok=True)
    files = [output / f"{name}.svg" for name in found]
    for path, text in zip(files, found.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    if as_json:
        print_json("learn cards", files=[str(path) for path in files])
    else:
        click.echo(f"{len(files)} cards in {output}")


@command.command()
@name_argument
@dir_option
@json_option
@click.pass_context
def notebook(context: click.Context, name: str | None, folder: Path | None, as_json: bool) -> None:
    """Write an exercise as a notebook with the same grading; its code cell is your file."""
    from torchstone.learn.cells import write_notebook

    workspace = _workspace(folder or context.obj["folder"])
    exercise = _exercise(workspace, name)
    path = write_notebook(workspace, exercise)
    if as_json:
        print_json("learn notebook", exercise=exercise.name, file=str(path))
    else:
        click.echo(f"{path}\nopen it with jupyter lab, and run its cells")


command.add_command(dev)


def _workspace(folder: Path | None) -> "Workspace":
    from torchstone.learn.workspace import find_workspace

    workspace = find_workspace(folder or Path.cwd())
    new = workspace.add_new_quietly()
    if new:
        click.echo(f"{len(new)} new exercises were added: {', '.join(exercise.name for exercise in new)}", err=True)
    return workspace


def _exercise(workspace: "Workspace", name: str | None) -> "Exercise":
    """The exercise of that name, or the next unsolved one, or the last when all are solved."""
    from torchstone.learn.catalog import find_exercise

    if name is not None:
        return find_exercise(name, workspace.exercises)
    return workspace.next_unsolved() or workspace.exercises[-1]


def _run(workspace: "Workspace", name: str | None, device: str | None, as_json: bool) -> int:
    from torchstone.learn.grader import Grader
    from torchstone.learn.screen import make_console, print_verdict

    exercise = _exercise(workspace, name)
    source = workspace.read(exercise)
    with Grader(device) as grader:
        grader.check_device()
        verdict = grader.grade(exercise, workspace.file(exercise), source.content)
    pictures = workspace.keep(verdict)
    if as_json:
        content = {"pictures": [str(path) for path in pictures], "trouble": workspace.progress.trouble}
        print_json("learn run", **_verdict_json(verdict), **content)
    else:
        print_verdict(make_console(), workspace, exercise, verdict)
    return 0 if verdict.solved else NOT_YET


def _verdict_json(verdict: "Verdict") -> dict[str, Any]:
    import msgspec

    content: dict[str, Any] = msgspec.to_builtins(verdict)
    del content["pictures"]
    return content | {"earned": list(verdict.earned), "solved": verdict.solved}


def _one_line(verdict: "Verdict") -> str:
    marks = ", ".join(verdict.earned) or "not yet"
    reason = f"  {verdict.failures[0].message}" if verdict.failures else ""
    return f"{'✓' if verdict.solved else '✗'} {verdict.exercise:<18} {marks}{reason}"


def _rows(workspace: "Workspace") -> list[dict[str, Any]]:
    from torchstone.learn.progress import Standing

    state = workspace.progress.read()
    return [
        {
            "name": exercise.name,
            "chapter": exercise.chapter,
            "title": exercise.title,
            "difficulty": exercise.difficulty,
            "minutes": exercise.minutes,
            "elective": exercise.elective,
            "file": str(workspace.file(exercise)),
            "offered": list(exercise.marks),
            "earned": [m for m in exercise.marks if state.exercises.get(exercise.name, Standing()).has(m)],
        }
        for exercise in workspace.exercises
    ]


def _confirmed(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not _is_terminal():
        from torchstone.errors import UserError

        raise UserError(f"this needs a yes: {question}", "give --yes")
    return click.confirm(question, err=True)


def _is_terminal() -> bool:
    import sys

    return sys.stdin.isatty() and sys.stdout.isatty()


def _tell_trouble(workspace: "Workspace") -> None:
    if workspace.progress.trouble:
        click.echo(f"warning: {workspace.progress.trouble}", err=True)
