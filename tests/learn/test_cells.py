"""The notebook of an exercise and the cards of its chapters."""

import json
import xml.etree.ElementTree as ElementTree

from torchstone.learn.catalog import find_exercise
from torchstone.learn.cells import MAGIC, grade_source, load_ipython_extension, write_notebook
from torchstone.learn.workspace import Workspace
from torchstone.report.chapter_card import ChapterCard, draw_card
from torchstone.report.learning import read_cards


class Shell:
    """What IPython is asked for."""

    def __init__(self) -> None:
        self.magics: dict[str, object] = {}

    def register_magic_function(self, function: object, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function


def test_a_notebook_has_the_task_and_the_file(workspace: Workspace) -> None:
    exercise = find_exercise("views", workspace.exercises)
    document = json.loads(write_notebook(workspace, exercise).read_text())
    assert document["nbformat"] == 4
    task, _, code, _ = ("".join(cell["source"]) for cell in document["cells"])
    assert task == exercise.task
    assert code == f"%%{MAGIC} views\n" + exercise.starter.read_text()
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])


def test_a_cell_is_saved_and_graded(workspace: Workspace) -> None:
    exercise = find_exercise("first_tensors", workspace.exercises)
    verdict = grade_source(workspace, exercise, exercise.solution.read_text())
    assert verdict.solved
    assert workspace.file(exercise).read_text() == exercise.solution.read_text()
    assert workspace.progress.standing("first_tensors").has("solved")
    cards = read_cards(workspace.folder)
    assert "1 of 5 solved" in cards["01_tensors"]


def test_the_extension_registers_its_magic() -> None:
    shell = Shell()
    load_ipython_extension(shell)
    assert list(shell.magics) == [MAGIC]


def test_a_card_is_a_drawing_whatever_its_title() -> None:
    card = ChapterCard('01 <tensors> & "more"', 5, 5, 3, 4, "2026-11-17")
    root = ElementTree.fromstring(draw_card(card))
    assert "chapter complete" in "".join(root.itertext())
    open_card = draw_card(ChapterCard("02 autograd", 1, 5, 0, 1))
    assert "1 of 5 solved" in open_card
    assert open_card.count("<rect") == 6
