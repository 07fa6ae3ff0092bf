"""The pages of the site that are made, not written: the commands from `--help`, the front page from the README.

MkDocs calls `on_files` (`hooks:` in mkdocs.yml); `make docs` builds the site under build/site. Nothing that is made
here is kept in the repository, so nothing can be out of date.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.testing import CliRunner

from torchstone.commands import torchstone_command
from torchstone.experiments import experiment_names

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
MADE_FROM = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
SHOWN = ("examples/report.html", "examples/report.png", "examples/run.jsonl")
GUIDES = {"devices", "bench", "check", "learn", "ops", "report", "tune"}
"""The commands that have a page of their own in docs/."""
SAME_GUIDE = {"compare": "report", "selftest": "measuring"}


def on_files(files: "Files", config: Any) -> "Files":
    """Called by MkDocs when it has found what stands in docs/."""
    from mkdocs.structure.files import File

    for name, source in MADE_FROM.items():
        files.append(File.generated(config, name, content=_relinked((ROOT / source).read_text(encoding="utf-8"))))
    for name in SHOWN:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for name, content in command_pages().items():
        files.append(File.generated(config, f"commands/{name}.md", content=content))
    return files


def _relinked(text: str) -> str:
    """Links from the repository's root as links from docs/; what the site does not hold stays as words."""
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"\]\((?:CONTRIBUTING|CHANGELOG)\.md\)", lambda found: found[0].lower(), text)
    return re.sub(r"\[([^\]]+)\]\(examples/(?:post|README\.md)\)", r"\1", text)


def command_pages() -> dict[str, str]:
    """By name, with an overview as `index`."""
    context = click.Context(torchstone_command, info_name="torchstone")
    names = torchstone_command.list_commands(context)
    links = "\n".join(f"- [`torchstone {name}`]({name}.md)" for name in names)
    overview = f"# The commands\n\nWhat each prints with `--help`.\n\n{_help([])}\n\n{links}\n"
    return {"index": overview, **{name: _page(name) for name in names}}


def _page(name: str) -> str:
    guide = name if name in GUIDES else SAME_GUIDE.get(name)
    more = f"\n\nWhat it does and what it can't: [the guide](../{guide}.md)." if guide else ""
    parts = [f"# `torchstone {name}`{more}", *(_part(words) for words in _with_parts([name]))]
    return "\n\n".join(parts) + "\n"


def _part(words: list[str]) -> str:
    heading = f"## `torchstone {' '.join(words)}`\n\n" if len(words) > 1 else ""
    return heading + _help(words)


def _with_parts(words: list[str]) -> list[list[str]]:
    """A command and those below it; of `bench` its experiments."""
    if words == ["bench"]:
        return [words, *([*words, name] for name in experiment_names())]
    command: click.Command = torchstone_command
    context = click.Context(command, info_name="torchstone")
    for word in words:
        assert isinstance(command, click.Group)
        command = command.get_command(context, word) or command
        context = click.Context(command, info_name=word, parent=context)
    if not isinstance(command, click.Group):
        return [words]
    return [words, *(part for name in command.list_commands(context) for part in _with_parts([*words, name]))]


def _help(words: list[str]) -> str:
    done = CliRunner().invoke(torchstone_command, [*words, "--help"], prog_name="torchstone", catch_exceptions=False)
    return f"```text\n{done.output.rstrip()}\n```"
