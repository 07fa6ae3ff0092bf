"""The documents hold: every command in them is one that the program takes, the cheap ones run, and the site is made.

A command line is a line of a code block, or a code span, that begins with `torchstone` (or `pipx run torchstone`, or
`learn` in its own guide). Each is parsed by the program itself; those of `CHEAP` are run for real. What `--help` itself
shows as an example is parsed likewise.
"""

import ast
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.conftest import REQUIRE_ALL, Program
from tests.report import runs

import torchstone as ts
from torchstone.commands import torchstone_command

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *ROOT.glob("docs/*.md")]
BEGINNING = re.compile(r"^(?:\$ )?(?:pipx run |uvx )?torchstone (?=\S)|^(?=learn \S)")
REMARK = re.compile(r"\s+# |\s{3,}")
ALTERNATIVES = re.compile(r"\b(\w+(?:\|\w+)+)")
CHEAP = (("report",), ("compare",), ("bench", "--list"), ("learn", "init"))
"""None of them imports torch: with it, each would take seconds, and other tests run those."""


def command_lines(text: str) -> Iterator[str]:
    """What stands in code blocks and in code spans outside of headings, without its remark."""
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in block.splitlines()]
    rest = re.sub(r"^```.*?^```|^#[^\n]*", "", text, flags=re.MULTILINE | re.DOTALL)
    lines += [line for line in rest.splitlines() if line.startswith("    ")]
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest)]
    for line in (*lines, *spans):
        found = BEGINNING.match(line.strip())
        if found:
            yield REMARK.split(line.strip()[found.end() :])[0].strip()


def variants(line: str) -> Iterator[list[str]]:
    """Without the marks of "several" and "may be left out"; of `svg|png` each."""
    plain = re.sub(r"[\[\]…]|\.\.\.", "", line)
    found = ALTERNATIVES.search(plain)
    if found is None:
        words = shlex.split(plain)
        yield words if len(words) > 1 else [*words, "--help"]  # a name alone is no call
        return
    for choice in found[1].split("|"):
        yield from variants(plain.replace(found[1], choice, 1))


def load_site_pages() -> Any:
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs" / "site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def examples() -> list[list[str]]:
    pages = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    pages += load_site_pages().command_pages().values()
    found = [words for text in pages for line in command_lines(text) for words in variants(line)]
    return list({tuple(words): words for words in found}.values())


EXAMPLES = examples()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 40
    assert ["learn", "dev", "new", "03_nn", "lstm_cell"] in EXAMPLES


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_the_program_takes_it(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Parsed whole, options and all; what it would do is left out."""
    monkeypatch.setattr(click.Command, "invoke", lambda command, context: None)
    done = CliRunner().invoke(torchstone_command, words, prog_name="torchstone")
    assert done.exit_code == 0, done.output


def test_a_wrong_one_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click.Command, "invoke", lambda command, context: None)
    for words in (["bench", "--bugdet", "3"], ["reprot", "last"], ["learn", "dev", "nothing"]):
        assert CliRunner().invoke(torchstone_command, words).exit_code == 2


def is_cheap(words: list[str]) -> bool:
    return any(tuple(words[: len(start)]) == start for start in CHEAP) and "--help" not in words


@pytest.mark.parametrize("words", [words for words in EXAMPLES if is_cheap(words)], ids=" ".join)
def test_the_cheap_ones_run(
    words: list[str], program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder with two runs."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs"
    folder.mkdir()
    for number, run in enumerate((runs.cpu_run(), runs.accelerated_run())):
        runs.write_run(folder / f"2026111{number}T000000Z-0000000{number}.jsonl", run)
    meant = {"RUN": "last", "FOLDER": str(folder)}
    done = program(*(meant.get(word, word) for word in words), BROWSER="true")
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_in_it_is_python_and_names_what_is_public(document: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for block in blocks:
        for node in ast.walk(ast.parse(block.replace("…", "..."))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ts":
                assert node.attr in ts.__all__


def test_every_command_has_its_page() -> None:
    pages = load_site_pages().command_pages()
    listed = torchstone_command.list_commands(click.Context(torchstone_command))
    assert set(pages) == {"index", *listed}
    for name in listed:
        assert f"Usage: torchstone {name}" in pages[name]
    assert "torchstone learn dev new" in pages["learn"]
    assert "torchstone bench inference" in pages["bench"]


def test_the_site_is_made_without_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strictly: a link that leads nowhere or a page that the contents leave out would end it."""
    if importlib.util.find_spec("mkdocs") is None:
        reason = "mkdocs is not installed: pip install 'torchstone[docs]'"
        pytest.fail(reason) if REQUIRE_ALL else pytest.skip(reason)
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path / "site")))
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "pipx run torchstone bench" in front
    assert (tmp_path / "site" / "examples" / "report.html").exists()
    assert (tmp_path / "site" / "commands" / "bench.html").exists()
    fetched = re.findall(
        r'<(?:script|img)[^>]*src="(https?:[^"]*)|<link[^>]*stylesheet[^>]*href="(https?:[^"]*)', front
    )
    assert fetched == []
