"""The learner's progress: never lost by a crash, a second terminal, an edit by hand, or a full disk."""

import json
import threading
from pathlib import Path

import pytest

from torchstone.errors import UserError
from torchstone.learn import progress as module
from torchstone.learn.progress import FILE, Progress, Standing, salvage


def test_marks_are_kept_and_stay(tmp_path: Path) -> None:
    Progress(tmp_path).earn("views", ("solved",))
    Progress(tmp_path).earn("views", ("solved", "lean"))
    standing = Progress(tmp_path).standing("views")
    assert standing.has("solved")
    assert standing.has("lean")
    assert not standing.has("fast")


def test_the_file_is_small_and_readable(tmp_path: Path) -> None:
    progress = Progress(tmp_path)
    progress.add(["views"])
    progress.see_hint("views", 2)
    content = json.loads((tmp_path / FILE).read_text())
    assert content == {"schema": "torchstone-learn/1", "exercises": {"views": {"hints": 2}}}


def test_exercises_of_another_version_are_kept(tmp_path: Path) -> None:
    Progress(tmp_path).earn("from_the_future", ("solved",))
    Progress(tmp_path).earn("views", ("solved",))
    assert Progress(tmp_path).standing("from_the_future").has("solved")


def test_forgetting_starts_anew(tmp_path: Path) -> None:
    progress = Progress(tmp_path)
    progress.earn("views", ("solved",))
    progress.forget("views")
    assert progress.standing("views") == Standing()


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            Progress(tmp_path).earn(f"exercise_{number}_{turn}", ("solved",))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Progress(tmp_path).read().exercises) == 30
    assert sorted(path.name for path in tmp_path.iterdir()) == [".torchstone", FILE]


WHOLE = json.dumps(
    {
        "schema": "torchstone-learn/1",
        "exercises": {"views": {"solved": "2026-01-01"}, "pairwise": {"solved": "2026-01-02", "hints": 2}},
    }
)


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (WHOLE[:-20].encode(), {"views"}),
        (WHOLE.replace('"2026-01-01"', "17").encode(), {"views", "pairwise"}),
        (WHOLE.replace(": {", " {", 1).encode(), {"views", "pairwise"}),
        (b"\xff\xfe garbage", set()),
        (b"", set()),
        (b"[]", set()),
        (b"null", set()),
    ],
)
def test_a_damaged_file_is_kept_and_what_can_be_read_is_taken_over(
    tmp_path: Path, content: bytes, left: set[str]
) -> None:
    (tmp_path / FILE).write_bytes(content)
    progress = Progress(tmp_path)
    assert set(progress.read().exercises) == left
    assert progress.trouble is not None
    assert "was damaged" in progress.trouble
    kept = [path for path in tmp_path.iterdir() if "damaged" in path.name]
    assert [path.read_bytes() for path in kept] == [content]
    again = Progress(tmp_path)
    assert set(again.read().exercises) == left
    assert again.trouble is None


def test_a_wrong_value_costs_that_value_alone() -> None:
    state = salvage(WHOLE.replace('"2026-01-01"', "17").encode())
    assert state.exercises == {"views": Standing(), "pairwise": Standing(solved="2026-01-02", hints=2)}


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"schema": "torchstone-learn/9", "exercises": {}}')
    with pytest.raises(UserError, match="newer torchstone"):
        Progress(tmp_path).read()


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"schema": "else", "exercises": {}}')
    with pytest.raises(UserError, match="not a progress file"):
        Progress(tmp_path).read()


def test_a_full_disk_costs_a_sentence_and_no_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = Progress(tmp_path)
    progress.earn("views", ("solved",))

    def refuse(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(module, "write_whole", refuse)
        progress.earn("pairwise", ("solved",))
    assert progress.trouble is not None
    assert "No space left on device" in progress.trouble
    assert progress.standing("pairwise").has("solved")
    progress.earn("group_mean", ("solved",))
    assert set(Progress(tmp_path).read().exercises) == {"views", "pairwise", "group_mean"}


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    progress = Progress(tmp_path)
    assert progress.read().exercises == {}
    assert "could not be read" in (progress.trouble or "")


def test_the_last_good_copy_is_gone_on_from(tmp_path: Path) -> None:
    progress = Progress(tmp_path)
    progress.earn("views", ("solved", "lean"))
    progress.earn("pairwise", ("solved",))
    (tmp_path / FILE).write_bytes(b"\x00" * 100)
    again = Progress(tmp_path)
    assert again.standing("views").has("lean")
    assert again.standing("pairwise").has("solved")
    assert again.trouble is not None
    assert "0 exercises could be read from it, 2 with the last good copy" in again.trouble


def test_a_pipe_in_the_place_of_the_file(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / FILE)
    progress = Progress(tmp_path)
    assert progress.read().exercises == {}
    assert progress.trouble is not None
    assert "not a regular file" in progress.trouble
