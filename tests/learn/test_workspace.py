"""The learner's folder: made, found again, completed, reset; a file that is gone or in motion."""

import threading
from pathlib import Path

import msgspec
import pytest

from torchstone.errors import UserError
from torchstone.learn.catalog import Exercise, find_exercise, find_exercises
from torchstone.learn.progress import FILE
from torchstone.learn.verdicts import CheckResult, Picture, Verdict
from torchstone.learn.workspace import Workspace, find_workspace, init
from torchstone.records import Finding, decode_record


def solved(exercise: Exercise, pictures: tuple[Picture, ...] = ()) -> Verdict:
    check = CheckResult(name="right", mark="solved", passed=True)
    return Verdict(exercise=exercise.name, device="cpu", offered=exercise.marks, checks=(check,), pictures=pictures)


def test_init_copies_every_starter_and_task(workspace: Workspace) -> None:
    for exercise in workspace.exercises:
        assert workspace.file(exercise).read_bytes() == exercise.starter.read_bytes()
        assert exercise.title in workspace.task_file(exercise).read_text()
    assert (workspace.folder / "README.md").exists()
    assert (workspace.folder / FILE).exists()


def test_init_again_overwrites_nothing(workspace: Workspace) -> None:
    workspace.file(workspace.exercises[0]).write_text("mine")
    (workspace.folder / "README.md").write_text("mine too")
    again, new = init(workspace.folder)
    assert new == ()
    assert again.file(again.exercises[0]).read_text() == "mine"
    assert (workspace.folder / "README.md").read_text() == "mine too"


def test_a_new_version_adds_its_exercises_and_a_deleted_file_stays_deleted(tmp_path: Path) -> None:
    everything = find_exercises()
    old, _ = init(tmp_path / "ladder", everything[:2])
    old.file(everything[0]).unlink()
    new = Workspace(tmp_path / "ladder", everything).add_new()
    assert new == everything[2:]
    assert not old.file(everything[0]).exists()


def test_a_folder_can_move(workspace: Workspace, tmp_path: Path) -> None:
    workspace.keep(solved(workspace.exercises[0]))
    moved = workspace.folder.rename(tmp_path / "elsewhere")
    found = find_workspace(moved / "01_tensors")
    assert found.folder == moved
    assert found.next_unsolved() is not None
    assert found.progress.standing(found.exercises[0].name).has("solved")


def test_a_deleted_progress_file_is_no_end(workspace: Workspace) -> None:
    (workspace.folder / FILE).unlink()
    assert find_workspace(workspace.folder).folder == workspace.folder


def test_outside_of_any_folder_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        find_workspace(tmp_path)
    assert "learn init" in caught.value.hint


def test_electives_come_last(tmp_path: Path) -> None:
    exercises = find_exercises()[:2]
    exercises[0].facts["elective"] = "yes"
    workspace, _ = init(tmp_path / "ladder", exercises)
    assert workspace.next_unsolved() is exercises[1]
    workspace.keep(solved(exercises[1]))
    assert workspace.next_unsolved() is exercises[0]
    workspace.keep(solved(exercises[0]))
    assert workspace.next_unsolved() is None


def test_a_deleted_file_gets_a_sentence(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    workspace.file(exercise).unlink()
    with pytest.raises(UserError, match="is gone") as caught:
        workspace.read(exercise)
    assert f"learn reset {exercise.name}" in caught.value.hint


def test_a_save_by_renaming_is_waited_for(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    path = workspace.file(exercise)
    aside = path.rename(path.with_suffix(".tmp"))
    timer = threading.Timer(0.05, lambda: aside.rename(path))
    timer.start()
    assert workspace.read(exercise).content == exercise.starter.read_bytes()
    timer.join()


def test_a_rename_changes_the_stamp(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    path = workspace.file(exercise)
    before = workspace.stamp(exercise)
    twin = path.with_suffix(".new")
    twin.write_bytes(path.read_bytes())
    twin.replace(path)
    assert workspace.stamp(exercise) != before


def test_reset_keeps_what_was_there(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    workspace.file(exercise).write_text("my work")
    workspace.keep(solved(exercise))
    backup = workspace.reset(exercise)
    assert backup is not None
    assert backup.read_text() == "my work"
    assert workspace.file(exercise).read_bytes() == exercise.starter.read_bytes()
    assert not workspace.progress.standing(exercise.name).has("solved")


def test_reset_brings_a_deleted_file_back(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    workspace.file(exercise).unlink()
    assert workspace.reset(exercise) is None
    assert workspace.file(exercise).exists()


def test_pictures_and_grades_are_kept_for_the_report(workspace: Workspace) -> None:
    exercise = workspace.exercises[0]
    paths = workspace.keep(solved(exercise, (Picture(name="filters", png=b"png"),)))
    assert [path.name for path in paths] == [f"{exercise.name}-filters.png"]
    lines = (workspace.folder / ".torchstone" / "grades.jsonl").read_bytes().splitlines()
    findings = [decode_record(line) for line in lines]
    assert len(findings) == len(workspace.exercises)
    assert isinstance(findings[0], Finding)
    assert (findings[0].kind, findings[0].verdict) == ("grade", "solved")


def test_a_picture_cannot_leave_its_folder(workspace: Workspace) -> None:
    verdict = solved(workspace.exercises[0], (Picture(name="../../evil", png=b"png"),))
    assert all(path.parent.name == "pictures" for path in workspace.keep(verdict))


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file"):
        init(tmp_path / "file")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        init(tmp_path / "file" / "ladder")


def test_a_read_only_folder_does_not_lose_a_verdict(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from torchstone.learn import progress
    from torchstone.learn import workspace as module

    def refuse(path: Path, content: bytes) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(progress, "write_whole", refuse)
    monkeypatch.setattr(module, "write_whole", refuse)
    workspace.keep(solved(workspace.exercises[0]))
    assert "Read-only file system" in (workspace.progress.trouble or "")
    assert workspace.progress.standing(workspace.exercises[0].name).has("solved")


class TestCatalog:
    def test_by_name_by_place_and_by_path(self, workspace: Workspace) -> None:
        everything = workspace.exercises
        views = find_exercise("views", everything)
        for wanted in ("02_views", "01_tensors/02_views", str(workspace.file(views)), "01_tensors/02_views.md"):
            assert find_exercise(wanted, everything) is views

    def test_a_near_miss_is_suggested(self) -> None:
        with pytest.raises(UserError) as caught:
            find_exercise("viws", find_exercises())
        assert "views" in caught.value.hint

    def test_drafts_are_for_authors_only(self, tmp_path: Path) -> None:
        (tmp_path / "01_chapter" / "01_draft").mkdir(parents=True)
        assert find_exercises(tmp_path) == ()
        assert len(find_exercises(tmp_path, drafts=True)) == 1


def test_verdicts_can_be_sent_as_json() -> None:
    verdict = solved(find_exercises()[0], (Picture(name="a", png=b"\x89"),))
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict
