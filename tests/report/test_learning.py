"""A learner's folder as a section of the page."""

from pathlib import Path

import pytest
from tests.report.test_page import PIXEL

from torchstone.errors import UserError
from torchstone.records import Finding, encode
from torchstone.report.learning import read_learning
from torchstone.report.page import render_page


def grade(subject: str, offered: str, **earned: str) -> bytes:
    evidence = f"{len(earned)} of {len(offered.split(','))} marks: {offered}"
    verdict = "solved" if earned else "open"
    found = Finding(
        kind="grade", subject=subject, verdict=verdict, tier="measured", evidence=evidence, facts=dict(earned)
    )
    return encode(found) + b"\n"


def write_progress(folder: Path) -> Path:
    """A folder in which three exercises were graded."""
    hidden = folder / ".torchstone"
    (hidden / "pictures").mkdir(parents=True)
    (hidden / "pictures" / "views-grid.png").write_bytes(PIXEL)
    (hidden / "grades.jsonl").write_bytes(
        grade("01_tensors/01_first", "solved", solved="2026-11-14")
        + grade("01_tensors/02_views", "solved, lean", solved="2026-11-15", lean="2026-11-15")
        + grade("02_autograd/01_slope", "solved, fast")
    )
    (folder / "torchstone-learn.json").write_text('{"exercises": {"views": {"hints": 2}}}')
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_progress(tmp_path)


def test_progress_by_chapter_and_mark(folder: Path) -> None:
    found = read_learning(folder)
    assert found.meaning == (
        "2 of 3 exercises solved, 1 further marks, 1 of 2 chapters whole. The first on 2026-11-14, the latest on "
        "2026-11-15."
    )
    assert [[cell.text for cell in row] for row in found.chapters.rows] == [
        ["01 tensors", "2 of 2", "1 of 1", "–"],
        ["02 autograd", "0 of 1", "–", "0 of 1"],
    ]
    assert [cell.text for cell in found.exercises.rows[1]] == [
        "01_tensors/02_views",
        "solved, lean",
        "2",
        "2026-11-15",
        "solved",
    ]
    assert [picture.caption for picture in found.pictures] == ["views grid"]


def test_the_section_of_the_page(folder: Path) -> None:
    page = render_page([], read_learning(folder))
    assert '<section id="learning"' in page
    assert "My progress" in page
    assert "data:image/png;base64," in page


def test_a_damaged_state_costs_the_hints_alone(folder: Path) -> None:
    (folder / "torchstone-learn.json").write_text('{"exercises": 3')
    assert read_learning(folder).exercises.rows[1][2].text == ""


def test_no_grades_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no grades in"):
        read_learning(tmp_path)


def test_damaged_grades_are_a_sentence(folder: Path) -> None:
    (folder / ".torchstone" / "grades.jsonl").write_text("nonsense\n")
    with pytest.raises(UserError, match=r"grades\.jsonl"):
        read_learning(folder)
