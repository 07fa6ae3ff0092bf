"""`learn dev`: for authors of exercises."""

import click

from torchstone.commands.learning.options import NOT_YET, json_option, name_argument
from torchstone.options import print_json


@click.group()
def dev() -> None:
    """For authors of exercises."""


@dev.command("new")
@click.argument("chapter")
@click.argument("name")
@json_option
def dev_new(chapter: str, name: str, as_json: bool) -> None:
    """Make the files of a new exercise, such as: 03_nn lstm_cell."""
    from torchstone.learn.authoring import new_exercise
    from torchstone.learn.catalog import EXERCISES

    folder = new_exercise(EXERCISES, chapter, name)
    if as_json:
        print_json("learn dev new", folder=str(folder))
    else:
        click.echo(f"made {folder}")


@dev.command("promises")
@name_argument
@json_option
@click.pass_context
def dev_promises(context: click.Context, name: str | None, as_json: bool) -> None:
    """Show what a task promises, sentence by sentence, and the checks and wrong answers that hold it to its word."""
    from torchstone.learn.catalog import find_exercise, find_exercises
    from torchstone.learn.promises import promises_of

    everything = find_exercises(drafts=True)
    chosen = everything if name is None else (find_exercise(name, everything),)
    found = [(exercise.name, promise) for exercise in chosen for promise in promises_of(exercise)]
    missing = sum(not promise.is_kept for _, promise in found)
    if as_json:
        rows = [
            {"exercise": exercise, "sentence": one.sentence, "binds": one.binds, "kept": one.is_kept}
            | {"checks": list(one.checks), "wrong_answers": list(one.answers)}
            for exercise, one in found
        ]
        print_json("learn dev promises", promises=rows, without_a_case=missing)
    else:
        for exercise, one in found:
            click.echo(f"{' ' if not one.binds else '✓' if one.is_kept else '✗'} {exercise}: {one.sentence}")
            if one.checks:
                click.echo(f"      {', '.join(one.checks)}{_broken_by(one.answers)}")
        click.echo(f"{sum(one.binds for _, one in found)} promises, {missing} without a case")
    context.exit(NOT_YET if missing else 0)


def _broken_by(answers: tuple[str, ...]) -> str:
    return f" · broken by {', '.join(answers)}" if answers else ""


@dev.command("check")
@click.argument("names", nargs=-1)
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="How many at a time. Default: one a core.")
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=None, help="Of the inputs. Default: new ones each time."
)
@json_option
@click.pass_context
def dev_check(
    context: click.Context, names: tuple[str, ...], jobs: int | None, seed: int | None, as_json: bool
) -> None:
    """Check exercises: the starter fails, solution and right answers earn their marks, each wrong one is rejected."""
    from torchstone.learn import authoring
    from torchstone.learn.catalog import find_exercise, find_exercises

    everything = find_exercises(drafts=True)
    chosen = [find_exercise(name, everything) for name in names] if names else list(everything)
    faults = [*authoring.check_ladder(everything), *(fault for one in chosen for fault in authoring.check_files(one))]

    def tell(result: authoring.TrialResult) -> None:
        click.echo(f"{'✗' if result.faults else '✓'} {result.seconds:6.2f} s  {result.trial.name}", err=as_json)
        for fault in result.faults:  # at once: a run that is stopped has said what it found
            click.echo(f"    {fault.what} (--seed {result.seed})", err=as_json)

    results = authoring.check_exercises(chosen, jobs or authoring.default_jobs(), tell, seed)
    faults += [fault for result in results for fault in result.faults]
    wrong, right = (sum(result.trial.kind == kind for result in results) for kind in ("wrong", "right"))
    if as_json:
        print_json(
            "learn dev check",
            exercises=len(chosen),
            trials=len(results),
            wrong_answers=wrong,
            right_answers=right,
            faults=[{"where": fault.where, "what": fault.what} for fault in faults],
        )
    else:
        for fault in faults:
            click.echo(f"✗ {fault.where}: {fault.what}")
        counts = f"{len(results)} files graded, {wrong} wrong answers, {right} right ones"
        click.echo(f"{len(chosen)} exercises, {counts}, {len(faults)} faults")
    context.exit(NOT_YET if faults else 0)
