"""A blog post in Jekyll's form, composed from what was measured; it never says more than the run file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from torchstone.errors import UserError
from torchstone.files import write_whole
from torchstone.records import Device
from torchstone.report.cards import slug
from torchstone.report.cases import Experiment, experiments_of, is_believable
from torchstone.report.cleaning import LONGEST_NAME, clean_text
from torchstone.report.drawing import draw_png
from torchstone.report.figures import Figure, figures_of, headline_figures
from torchstone.report.formatting import count_words
from torchstone.report.markdown import escape_markdown, markdown_table
from torchstone.report.page import findings_first
from torchstone.report.predictions import predictions_figure
from torchstone.report.sentences import meaning, speed_sentence
from torchstone.report.sources import Machine

ASSETS = "assets/images"
MOST_PROBLEMS = 12
ACCELERATIONS = {
    "mps": ("Metal", "Apple's GPU, reached through Metal Performance Shaders"),
    "cuda": ("CUDA", "an NVIDIA GPU, reached through CUDA"),
    "rocm": ("ROCm", "an AMD GPU, reached through ROCm"),
    "xpu": ("XPU", "an Intel GPU, reached through SYCL"),
}
BODY_SECTIONS = (
    ("images", "Image processing"),
    ("inference", "Inference"),
    ("finetune", "Fine-tuning"),
    ("transfer", "Moving data"),
    ("load", "Latency under load"),
    ("leak", "Memory over time"),
)


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
        caption = f"<em>Figure {number}: {_escape_html(figure.caption)}</em>"
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
        raise UserError(f"cannot write {error.filename}: {error.strerror}", "choose another folder: --output") from None


def _draw(folder: Path, gallery: Gallery, number: int) -> Path:
    path = folder / ASSETS / gallery.file_name(number)
    write_whole(path, draw_png(gallery.figures[number - 1].spec))
    return path


def compose_post(machines: Sequence[Machine], title: str, author: str | None, gallery: Gallery) -> str:
    """The text; figures are added to the gallery as they are mentioned."""
    experiments = experiments_of(machines)
    body = [
        _opening(machines),
        _acceleration(machines),
        _training(experiments, gallery),
        *(_experiment(name, heading, machines, experiments, gallery) for name, heading in BODY_SECTIONS),
        _not_working(machines),
        _method(machines),
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
    return f"What {' and '.join(machine.label for machine in machines[:3])} is worth for PyTorch"


def _opening(machines: Sequence[Machine]) -> str:
    count = sum(len(machine.run.measurements) for machine in machines)
    chips = ", ".join(dict.fromkeys(machine.run.environment.chip for machine in machines))
    versions = ", ".join(dict.fromkeys(machine.run.environment.torch for machine in machines))
    text = f"This post shows what was measured on {chips} with torch {versions}: {count_words(count, 'measurement')}."
    return escape_markdown(text)


def _acceleration(machines: Sequence[Machine]) -> str:
    devices = [device for machine in machines for device in machine.run.devices if device.kind != "cpu"]
    if not devices:
        return "## The devices\n\nOnly the CPU was measured: there is no accelerator in this run."
    kinds = list(dict.fromkeys(_kind_words(device)[0] for device in devices))
    lines = [f"- {escape_markdown(_device_words(device))}" for device in devices]
    return f"## Acceleration with {escape_markdown(' and '.join(kinds[:3]))}\n\n" + "\n".join(lines)


def _device_words(device: Device) -> str:
    return f"{device.id}: {device.vendor} {device.name}, {_kind_words(device)[1]}"


def _kind_words(device: Device) -> tuple[str, str]:
    is_rocm = device.kind == "cuda" and "amd" in device.vendor.lower()
    return ACCELERATIONS.get("rocm" if is_rocm else device.kind, (device.kind, "a device outside of torch's own tree"))


def _training(experiments: Sequence[Experiment], gallery: Gallery) -> str:
    rows = [row for one in experiments if one.name == "training" for row in one.rows]
    if not rows:
        return ""
    good = [row for row in rows if is_believable(row) and row.measurement.unit == "s"]
    words = speed_sentence(good) or "Training was measured on the CPU alone, or could not be measured."
    parts = ["## Training benefits of this hardware", escape_markdown(words)]
    parts += [gallery.show(figure) for figure in headline_figures(experiments)]
    return "\n\n".join([*parts, *([markdown_table(good)] if good else [])])


def _experiment(
    name: str, heading: str, machines: Sequence[Machine], experiments: Sequence[Experiment], gallery: Gallery
) -> str:
    found = next((one for one in experiments if one.name == name), None)
    if found is None or not any(row.middle is not None for row in found.rows):
        return ""
    parts = [f"## {heading}", escape_markdown(meaning(found))]
    figures = figures_of(found)[:2]
    predictions = predictions_figure(machines) if name == "finetune" else None
    if predictions is not None:
        figures.append(predictions)
    return "\n\n".join([*parts, *map(gallery.show, figures)])


def _not_working(machines: Sequence[Machine]) -> str:
    rows = [row for row in findings_first(machines) if not row["good"]][:MOST_PROBLEMS]
    if not rows:
        return "## What does not work yet\n\nNothing that was tried failed."
    lines = [
        f"- **{escape_markdown(row['subject'])}** {escape_markdown('(' + row['verdict'] + '): ' + row['evidence'])}"
        for row in rows
    ]
    return "## What does not work yet, and what to know\n\n" + "\n".join(lines)


def _method(machines: Sequence[Machine]) -> str:
    machine_lines = "\n".join(f"- {escape_markdown(_machine_words(machine))}" for machine in machines)
    return (
        "## How it was measured\n\n"
        "Each device was waited for before and after every sample. The figures show medians and intervals taken from "
        "the order of the samples. A case counts as faster or slower only where the whole interval lies beyond the "
        "CPU's own speed; the CPU ran plain float32 with the threads named here.\n\n" + machine_lines
    )


def _machine_words(machine: Machine) -> str:
    found = machine.run.environment
    versions = f"torch {found.torch}, Python {found.python}, {found.threads} CPU threads"
    return f"{found.chip}, {found.os}, {versions}, run {machine.run.id}"
