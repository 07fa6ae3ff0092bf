"""What a report is made of: run files, URLs, folders of runs, or `label=path`, read and cleaned."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from torchstone.errors import UserError
from torchstone.records import Run
from torchstone.report.cleaning import clean_run, clean_text
from torchstone.store import SUFFIX, RunFileWarning, find_run, list_runs, read_part

LONGEST_LABEL = 40
MOST_FOLDERS = 3
"""In a label."""
MOST_RECORDS = 20_000
"""Of one run: what a page shows is far less, and a stranger's file may hold a million."""


@dataclass(frozen=True)
class Machine:
    """One run with the name that the report calls it by."""

    label: str
    url: str
    run: Run
    remarks: tuple[str, ...] = field(default=())
    """What was wrong with the file."""


def read_machines(sources: Sequence[str]) -> list[Machine]:
    """Every run named, in order, each with a label of its own: the machine's chip where none was given, and for two
    runs of one machine what the person called them."""
    found = [_read_machine(source) for source in sources]
    called = _called_apart(sources)
    labels = [machine.label for machine in found]
    if len(set(labels)) == 1 < len(labels) == len(set(called)):
        found = [replace(machine, label=name) for machine, name in zip(found, called, strict=True)]
    return number_machines(found)


def _called_apart(sources: Sequence[str]) -> list[str]:
    """By the names of their files; where these are the same, with as many folders before them as tell them apart."""
    called: list[str] = []
    for parts in range(1, MOST_FOLDERS + 2):
        called = [_called(source, parts) for source in sources]
        if len(set(called)) == len(called):
            break
    return called


def _called(source: str, parts: int) -> str:
    """`last~1`, or the last parts of a file's path without its ending."""
    label, path = split_label(source)
    words = label or "/".join(path.removesuffix(SUFFIX).split("/")[-parts:])
    return clean_text(words, LONGEST_LABEL) or "run"


def read_machine(source: str) -> Machine:
    return read_machines([source])[0]


def is_folder(source: str) -> bool:
    """A folder of runs rather than a run; on clouds the ending tells."""
    label_less = split_label(source)[1]
    return Path(label_less).is_dir() if "://" not in label_less else not label_less.endswith(SUFFIX)


def runs_of_folder(source: str) -> tuple[list[Machine], list[str]]:
    """The runs of a folder that can be read, and why the others cannot."""
    machines, problems = [], []
    for url in list_runs(split_label(source)[1]):
        try:
            machines.append(_read_machine(url))
        except UserError as error:
            problems.append(clean_text(f"{error.message} ({error.hint})"))
    if not machines:
        hint = "make one: torchstone bench --runs FOLDER"
        raise UserError(f"{source} holds no run that can be read", problems[0] if problems else hint)
    return machines, problems


def split_label(source: str) -> tuple[str | None, str]:
    """`label=path`; a file whose own name holds an equals sign is a file."""
    label, separator, path = source.partition("=")
    is_label = separator and path and not any(mark in label for mark in "/\\:") and not Path(source).exists()
    return (label, path) if is_label else (None, source)


def short_name(url: str) -> str:
    """`last` for the newest run of the usual folder, else the URL itself."""
    try:
        runs = list_runs()
    except UserError:
        return url
    return "last" if runs and runs[-1] == url else url


def _read_machine(source: str) -> Machine:
    label, url = split_label(source)
    url = find_run(url)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RunFileWarning)
        found, passed = read_part(url, MOST_RECORDS)
        run = clean_run(found)
    remarks = [clean_text(str(one.message)) for one in caught if issubclass(one.category, RunFileWarning)]
    if passed:
        remarks.append(f"{passed:,} more records are in the run file; this looks at the first and at all problems")
    for remark in remarks:
        warnings.warn(remark, RunFileWarning, stacklevel=3)
    chosen = clean_text(label or run.environment.chip or run.id, LONGEST_LABEL)
    return Machine(chosen or "machine", url, run, tuple(remarks))


def number_machines(machines: Sequence[Machine]) -> list[Machine]:
    """Two runs of one machine get numbers."""
    labels = _numbered([machine.label for machine in machines])
    return [replace(machine, label=label) for machine, label in zip(machines, labels, strict=True)]


def _numbered(labels: Sequence[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        yield f"{label} ({seen[label]})" if labels.count(label) > 1 else label
