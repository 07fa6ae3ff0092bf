"""The page, the post and the figures of what was measured."""

import os
from pathlib import Path

import click

from torchstone.errors import UserError
from torchstone.options import json_option, print_json

FORMATS = ("html", "markdown", "post", "svg", "png")


@click.command()
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default=None,
    help="Where to write: a file, a folder for many files, or - for standard output.",
)
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="html", show_default=True, help="What to make.")
@click.option(
    "--learn",
    "learn_folder",
    type=click.Path(path_type=Path),
    default=None,
    help="Add a learner's progress from this folder.",
)
@click.option(
    "--beside",
    type=click.Choice(["published"]),
    default=None,
    help="Set the run beside published figures of the same models and batches, with their sources.",
)
@click.option("--title", default=None, help="The title of the page or post.")
@click.option("--author", default=None, help="post: who signs it.")
@click.option("--slug", default=None, help="post: the name in its address.")
@json_option
def command(
    runs: tuple[str, ...],
    output: str | None,
    open_it: bool,
    form: str,
    learn_folder: Path | None,
    beside: str | None,
    title: str | None,
    author: str | None,
    slug: str | None,
    as_json: bool,
) -> None:
    """Make a page from run files.

    A RUN is a run file, a URL, `last` (or `last~1`) for the newest, or label=path; a folder of runs gives an index page
    with a page for each. Several runs stand beside each other, one colour a machine. The page is one file that fetches
    nothing. Needs no torch.
    """
    from torchstone.report.writing import Wish, answers_of, render, write_report

    place = None if output is None else Path(output)
    wish = Wish(
        runs,
        place,
        form,
        learn_folder,
        title,
        author,
        slug,
        beside_published=beside is not None,
        into_folder=output is not None and output.endswith(("/", os.sep)),
    )
    if output == "-":
        if as_json or open_it:
            raise UserError("-o - leaves no file to open or to name", "leave out --json and --open, or name a file")
        click.echo(render(wish))
        return
    written = write_report(wish)
    if as_json:
        print_json("report", answers=answers_of(wish), format=form, files=[str(path) for path in written])
    else:
        for path in written:
            click.echo(str(path))
    if open_it:
        import webbrowser

        webbrowser.open(written[0].resolve().as_uri())
