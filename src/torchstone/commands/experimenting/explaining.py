"""The help of one experiment: what it does, in the words of its file, and the options that it reads."""

from collections.abc import Iterator, Sequence

import click
from click.formatting import wrap_text

from torchstone import experiments

ITEM = "- "


def explain_experiment(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    name: str,
    read: Sequence[click.Parameter],
    shared: Sequence[click.Parameter],
) -> None:
    """`read` is what this experiment reads, `shared` what all do: these are named, and explained elsewhere."""
    formatter.write_usage(f"{ctx.command_path} {name}", "[OPTIONS]")
    _write_words(formatter, experiments.explain(name))
    rows = [row for option in read if (row := option.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section("Options"):
            formatter.write_dl(rows)
    others = ", ".join(option.opts[0] for option in shared)
    formatter.write_paragraph()
    formatter.write_text(f"Every experiment reads {others}: see `{ctx.command_path} --help`.")
    formatter.write_paragraph()


def _write_words(formatter: click.HelpFormatter, words: str) -> None:
    """As wide as the terminal, item by item."""
    width = formatter.width
    for block, is_item in _blocks(words):
        if not is_item:
            formatter.write_paragraph()
        hanging = "    " if block.startswith(ITEM) else "  "
        formatter.write(f"{wrap_text(block, width, '  ', hanging)}\n")


def _blocks(words: str) -> Iterator[tuple[str, bool]]:
    """The paragraphs and the items of lists, each on one line; and whether it follows another item directly."""
    for paragraph in words.split("\n\n"):
        items = f"\n{paragraph}".split(f"\n{ITEM}")
        lines = [*([items[0]] if items[0].strip() else []), *(f"{ITEM}{item}" for item in items[1:])]
        for position, line in enumerate(lines):
            yield " ".join(line.split()), position > 0
