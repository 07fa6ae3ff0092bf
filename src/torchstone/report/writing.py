"""From what was asked for to files on disk: the page, the index of a folder, the short form, figures, the post."""

from codecs import BOM_UTF8
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from torchstone.errors import UserError
from torchstone.files import write_whole
from torchstone.report.answers import answer
from torchstone.report.cards import slug
from torchstone.report.cases import experiment_of
from torchstone.report.drawing import draw_png, draw_svg
from torchstone.report.figures import Figure
from torchstone.report.learning import read_learning
from torchstone.report.markdown import render_markdown
from torchstone.report.page import count_warnings, first_figure, in_ascii, make_view, render_index, render_page
from torchstone.report.post import PostWords, write_post
from torchstone.report.predictions import predictions_figure
from torchstone.report.sections import sections_of
from torchstone.report.sources import Machine, is_folder, read_machines, runs_of_folder

MOST_INDEXED = 500
"""Runs in an index page; the newest are kept."""


RUN_BEGINS = b'{"record":"run"'
SINGLE_FILES = {"html": "report.html", "markdown": "report.md"}
"""Forms that are one file, with its usual name."""


@dataclass(frozen=True)
class Wish:
    """What a person asked `torchstone report` for."""

    runs: tuple[str, ...]
    output: Path | None = None
    form: str = "html"
    learn_folder: Path | None = None
    title: str | None = None
    author: str | None = None
    slug: str | None = None
    beside_published: bool = False
    into_folder: bool = False
    """Whether the output was written with a slash at its end: a folder, also where it is yet to be made."""


def answers_of(wish: Wish) -> dict[str, Any]:
    """What each run answers, by its label; a folder's runs are left to their pages."""
    if any(is_folder(source) for source in wish.runs):
        return {}
    return {machine.label: answer(machine).as_json() for machine in read_machines(wish.runs)}


def write_report(wish: Wish) -> list[Path]:
    """Write it, and say which files were written, the one to open first."""
    _require_something(wish)
    _require_a_place(wish)
    folders = [source for source in wish.runs if is_folder(source)]
    if folders:
        return _write_folder(wish, folders)
    if wish.form in SINGLE_FILES:
        return [_write(_single_file(wish), render(wish))]
    return _write_others(_machines_of(wish), wish)


def _single_file(wish: Wish) -> Path:
    """The file asked for; in a folder that was asked for, the usual name."""
    usual = Path(SINGLE_FILES[wish.form])
    if wish.output is None:
        return usual
    return wish.output / usual if wish.into_folder or wish.output.is_dir() else wish.output


def render(wish: Wish) -> str:
    """The page or the short form as a text, for a wish that makes one file."""
    _require_something(wish)
    if wish.form not in SINGLE_FILES or any(is_folder(source) for source in wish.runs):
        raise UserError("only one page or one short form goes to standard output", "name a file or folder with -o")
    if wish.form == "html":
        return _page(read_machines(wish.runs), wish)
    return render_markdown(_machines_of(wish), wish.title, wish.beside_published)


def _refuse_a_run(output: Path) -> None:
    """What was measured is never written over, whether it is read here or not."""
    if not output.is_file():
        return
    with output.open("rb") as file:
        if file.read(len(BOM_UTF8) + len(RUN_BEGINS)).removeprefix(BOM_UTF8).startswith(RUN_BEGINS):
            raise UserError(f"{output} is a run file: a report would replace what was measured", "name another file")


def _require_something(wish: Wish) -> None:
    if not wish.runs and wish.learn_folder is None:
        raise UserError("which run?", "name run files or a folder of them, or --learn FOLDER for a learner's progress")


def _require_a_place(wish: Wish) -> None:
    """The last folder may be new; one further up is a slip of the hand more often than a wish."""
    if wish.output is None or wish.output.parent.is_dir():
        return
    hint = "make that folder first, or choose another place with --output"
    raise UserError(f"cannot write {wish.output}: there is no folder {wish.output.parent}", hint)


def _machines_of(wish: Wish) -> list[Machine]:
    machines = read_machines(wish.runs)
    if not machines:
        raise UserError(f"--format {wish.form} needs a run", "name a run file; --learn alone makes a page")
    return machines


def _write_others(machines: list[Machine], wish: Wish) -> list[Path]:
    if wish.form == "post":
        words = PostWords(wish.title, wish.author, wish.slug, datetime.now(timezone.utc).date())
        return write_post(machines, words, wish.output or Path())
    return _write_figures(machines, wish.form, wish.output or Path("figures"))


def _page(machines: list[Machine], wish: Wish) -> str:
    learning = read_learning(wish.learn_folder) if wish.learn_folder is not None else None
    return in_ascii(render_page(machines, learning, wish.title, wish.beside_published))


def all_figures(machines: list[Machine]) -> list[Figure]:
    """Every figure of these runs, the headline first."""
    view = make_view(machines)
    predictions = predictions_figure(machines)
    charts = [*first_figure(view), *(figure for one in sections_of(view) for figure in one.shown.figures)]
    return [*charts, predictions] if predictions is not None else charts


def _write_figures(machines: list[Machine], form: str, folder: Path) -> list[Path]:
    figures = all_figures(machines)
    if not figures:
        raise UserError("these runs hold nothing to draw", "measure something: torchstone bench")
    return [_write_figure(figure, form, folder) for figure in figures]


def _write_figure(figure: Figure, form: str, folder: Path) -> Path:
    path = folder / f"{slug(figure.slug)}.{form}"
    return _write(path, draw_svg(figure.spec) if form == "svg" else draw_png(figure.spec))


def _write_folder(wish: Wish, folders: list[str]) -> list[Path]:
    """An index page, and beside it a page for each run."""
    if len(wish.runs) > 1 or wish.form != "html":
        raise UserError("a folder makes an index page, alone", "name the run files in it instead: FOLDER/*.jsonl")
    machines, problems = runs_of_folder(folders[0])
    output = wish.output or Path("report")
    folder = output.parent if output.suffix == ".html" else output
    index = output if output.suffix == ".html" else output / "index.html"
    newest = sorted(machines, key=lambda machine: machine.run.started, reverse=True)[:MOST_INDEXED]
    names = _page_names(newest, index.name)
    pages = [_write(folder / name, in_ascii(render_page([one]))) for one, name in zip(newest, names, strict=True)]
    entries = [_index_entry(one, name) for one, name in zip(newest, names, strict=True)]
    return [_write(index, render_index(entries, problems, wish.title or "Runs")), *pages]


def _page_names(machines: list[Machine], taken: str) -> list[str]:
    """A file name of its own for each run, of letters and digits alone: a run's id may hold anything."""
    used = {taken}
    names = []
    for machine in machines:
        stem, number = slug(machine.run.id), 1
        while (name := f"{stem}.html" if number == 1 else f"{stem}-{number}.html") in used:
            number += 1
        used.add(name)
        names.append(name)
    return names


def _index_entry(machine: Machine, page: str) -> dict[str, Any]:
    run = machine.run
    return {
        "page": page,
        "started": run.started,
        "chip": run.environment.chip,
        "devices": ", ".join(device.id for device in run.devices),
        "torch": run.environment.torch,
        "experiments": ", ".join(list(dict.fromkeys(experiment_of(one.name) for one in run.measurements))[:8]),
        "records": len(run.records),
        "warnings": count_warnings(machine),
    }


def _write(path: Path, content: str | bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_a_run(path)
        write_whole(path, content if isinstance(content, bytes) else content.encode("utf-8"))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}", "choose another place with --output") from None
    return path
