"""A blog post in Jekyll's form: the finding as its title, one graph, when it does not pay, what does not work yet.

It is short, and never says more than the run file.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from torchstone.errors import UserError
from torchstone.files import write_whole
from torchstone.report.answers import Answers
from torchstone.report.cards import slug
from torchstone.report.cleaning import LONGEST_NAME, clean_text
from torchstone.report.drawing import draw_png
from torchstone.report.figures import Figure
from torchstone.report.formatting import count_words, short_times
from torchstone.report.markdown import broken_list, escape_markdown
from torchstone.report.names import chip_words
from torchstone.report.page import first_figure, headline, make_view
from torchstone.report.sections import Section, View, sections_of
from torchstone.report.sources import Machine

ASSETS = "assets/images"
MOST_BROKEN = 4
MOST_SENTENCES = 3
TRY_IT = "## Try it\n\n`pipx run torchstone bench`, then `torchstone report last --open`."


@dataclass(frozen=True)
class PostWords:
    """What the author says of the post; the rest comes from the run."""

    title: str | None
    author: str | None
    slug: str | None
    day: date


@dataclass
class Gallery:
    """The figures of a post in the order of the text, numbered."""

    prefix: str
    figures: list[Figure]

    def show(self, figure: Figure) -> str:
        self.figures.append(figure)
        number = len(self.figures)
        path = f"/{ASSETS}/{self.file_name(number)}"
        picture = f'<img src="{path}" alt="{_escape_html(figure.description)}" width="100%">'
        note = f" {figure.note}" if figure.note else ""
        caption = f"<em>Figure {number}: {_escape_html(figure.caption)}.{_escape_html(note)}</em>"
        # HTML rather than kramdown's attribute lists: every renderer of Markdown shows it alike.
        return f'<p align="center">{picture}</p>\n\n<p align="center">{caption}</p>'

    def file_name(self, number: int) -> str:
        return f"{self.prefix}-{number}.png"


def _escape_html(text: str) -> str:
    """Braces too: Jekyll runs what stands in them."""
    return escape(text).replace("{", "&#123;").replace("}", "&#125;")


def write_post(machines: Sequence[Machine], words: PostWords, folder: Path) -> list[Path]:
    """The post as `YYYY-MM-DD-slug.md` and its figures under `assets/images/`."""
    title = clean_text(words.title or _title(machines), LONGEST_NAME)
    name = slug(words.slug or title)
    gallery = Gallery(name, [])
    text = compose_post(machines, title, words.author, gallery)
    path = folder / f"{words.day.isoformat()}-{name}.md"
    try:
        (folder / ASSETS).mkdir(parents=True, exist_ok=True)
        drawn = [_draw(folder, gallery, number) for number in range(1, len(gallery.figures) + 1)]
        write_whole(path, text.encode("utf-8"))
        return [path, *drawn]
    except OSError as error:
        place = error.filename or folder  # of a full disk the system names no file
        raise UserError(f"cannot write {place}: {error.strerror}", "choose another folder: --output") from None


def _draw(folder: Path, gallery: Gallery, number: int) -> Path:
    path = folder / ASSETS / gallery.file_name(number)
    write_whole(path, draw_png(gallery.figures[number - 1].spec))
    return path


def compose_post(machines: Sequence[Machine], title: str, author: str | None, gallery: Gallery) -> str:
    """The text; figures are added to the gallery as they are mentioned."""
    view = make_view(machines)
    sections = sections_of(view)
    body = [
        *(_opening(machine, one) for machine, one in zip(machines, view.answers, strict=True)),
        *map(gallery.show, first_figure(view)),
        _when_not(view, [one for one in sections if one.slug == "pays"], gallery),
        *(_own_section(one) for one in sections if one.is_in_post),
        *(_not_working(machine, one, len(machines) > 1) for machine, one in zip(machines, view.answers, strict=True)),
        TRY_IT,
        *(_footnote(machine, one) for machine, one in zip(machines, view.answers, strict=True)),
    ]
    image = f"/{ASSETS}/{gallery.file_name(1)}" if gallery.figures else ""
    front = {"layout": "blog_detail", "title": title, "author": clean_text(author or "torchstone", LONGEST_NAME)}
    return _front_matter({**front, "featured-img": image}) + "\n" + "\n\n".join(part for part in body if part) + "\n"


def _front_matter(values: dict[str, str]) -> str:
    """A JSON string is a YAML string too, whatever stands in it."""
    quoted = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()} | {
        "layout": values["layout"]
    }
    lines = [f"{key}: {value}" for key, value in quoted.items()]
    return "---\n" + "\n".join(lines) + "\n---\n"


def _title(machines: Sequence[Machine]) -> str:
    """The finding."""
    found = headline(make_view(machines)).rstrip(".")
    return f"{chip_words(machines[0].label)}: {found}" if len(machines) == 1 else found


def _opening(machine: Machine, answers: Answers) -> str:
    found = machine.run.environment
    made_up = "These figures are made up: no machine measured them. " if answers.is_made_up else ""
    measured = f"I measured PyTorch {found.torch} on {chip_words(found.chip)}."
    return escape_markdown(f"{made_up}{measured} {answers.headline} {answers.use.device}".strip())


def _when_not(view: View, pays: Sequence[Section], gallery: Gallery) -> str:
    """Where the CPU is the better choice; nothing where there is only the CPU."""
    words = [answers.use.batch for answers in view.answers if answers.use.batch]
    slower = [bar for answers in view.answers for bar in answers.bars if bar.verdict == "slower"]
    words += [
        f"{bar.model} {bar.stage}{f' at batch {bar.batch}' if bar.batch is not None else ''} is "
        f"{short_times(1 / bar.times)} times slower on {bar.device}."
        for bar in slower[:2]
    ]
    if not words:
        return ""
    figures = [gallery.show(figure) for section in pays for figure in section.shown.figures[:1]]
    return "\n\n".join(["## When it does not pay", escape_markdown(" ".join(words)), *figures])


def _own_section(section: Section) -> str:
    lines = [escape_markdown(sentence) for sentence in section.shown.sentences[:MOST_SENTENCES]]
    return "\n\n".join([f"## {escape_markdown(section.title)}", *lines])


def _not_working(machine: Machine, answers: Answers, is_named: bool) -> str:
    if not answers.broken:
        return ""
    where = f" on {escape_markdown(machine.label)}" if is_named else ""
    return f"## What does not work yet{where}\n\n" + broken_list(answers, MOST_BROKEN)


def _footnote(machine: Machine, answers: Answers) -> str:
    """How it was measured, once."""
    found = machine.run.environment
    threads = count_words(found.threads, "CPU thread")
    versions = f"{found.os}, torch {found.torch}, Python {found.python}, {threads}, run {machine.run.id}."
    is_paired = any(one.contest is not None for one in machine.run.measurements)
    pairs = "All setups ran in turn, round by round, and ratios are medians of pairs; the device was waited for."
    method = pairs if is_paired else "The device was waited for; ratios are those of medians."
    return f"*{escape_markdown(f'{versions} {method} To be trusted? {answers.trust.sentence}')}*"
