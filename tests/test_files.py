"""Files that others can break: whole or not at all, files or not at all, and nothing temporary left for good."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from torchstone import files

MIB = 1 << 20


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


class TestWriting:
    def test_a_file_is_put_in_place(self, tmp_path: Path) -> None:
        for content in (b"one", b"two"):
            files.write_whole(tmp_path / "page.html", content)
            assert (tmp_path / "page.html").read_bytes() == content
        assert os.listdir(tmp_path) == ["page.html"]  # noqa: PTH208

    def test_a_full_disk_leaves_the_old_one(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        path = tmp_path / "page.html"
        path.write_bytes(b"old")
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="No space left"):
            files.write_whole(path, b"new")
        assert path.read_bytes() == b"old"
        assert [one.name for one in tmp_path.iterdir()] == ["page.html"]

    def test_a_name_as_long_as_names_can_be(self, tmp_path: Path) -> None:
        files.write_whole(tmp_path / ("x" * 255), b"content")
        assert (tmp_path / ("x" * 255)).read_bytes() == b"content"


class TestReading:
    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"content")
        assert files.read_regular(tmp_path / "file", 7) == b"content"
        with pytest.raises(OSError, match="larger than 6 bytes"):
            files.read_regular(tmp_path / "file", 6)

    @pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/null"])
    def test_what_is_no_file(self, tmp_path: Path, name: str) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="not a regular file"):
            files.read_regular(tmp_path / name, MIB)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError):
            files.read_regular(tmp_path, MIB)


class TestTemporaryFolders:
    def test_one_lasts_as_long_as_its_block(self, temporary: Path) -> None:
        with files.temporary_folder("test") as folder:
            assert folder.parent == temporary
            assert folder.name.startswith("torchstone-test-")
            (folder / "inside").write_text("content")
        assert list(temporary.iterdir()) == []

    def test_one_in_use_is_not_swept(self, temporary: Path) -> None:
        with files.temporary_folder("test") as folder:
            code = f"import tempfile; tempfile.tempdir = {str(temporary)!r};"
            code += "from torchstone.files import sweep_temporary_folders; sweep_temporary_folders()"
            subprocess.run([sys.executable, "-c", code], check=True)
            assert folder.is_dir()

    def test_what_a_kill_left_is_swept(self, temporary: Path) -> None:
        code = (
            f"import os, signal, tempfile; tempfile.tempdir = {str(temporary)!r}\n"
            "from torchstone.files import temporary_folder\n"
            "with temporary_folder('test') as folder:\n"
            "    (folder / 'inside').write_text('content')\n"
            "    os.kill(os.getpid(), signal.SIGKILL)"
        )
        subprocess.run([sys.executable, "-c", code], check=False)
        assert [path.name.startswith("torchstone-test-") for path in temporary.iterdir()] == [True]
        files.sweep_temporary_folders()
        assert list(temporary.iterdir()) == []

    def test_what_is_not_ours_stays(self, temporary: Path) -> None:
        (temporary / "torchstone-notes").mkdir()
        (temporary / "torchstone-file").write_text("content")
        (temporary / "elsewhere").mkdir()
        (temporary / "elsewhere" / files.OWNER).touch()
        (temporary / "torchstone-link").symlink_to("elsewhere")
        files.sweep_temporary_folders()
        assert len(list(temporary.iterdir())) == 4

    def test_one_that_was_never_finished(self, temporary: Path) -> None:
        new, old = (temporary / f"{files.UNFINISHED}{name}" for name in ("new", "old"))
        new.mkdir()
        old.mkdir()
        long_ago = time.time() - 2 * files.UNFINISHED_S
        os.utime(old, (long_ago, long_ago))
        files.sweep_temporary_folders()
        assert list(temporary.iterdir()) == [new]

    def test_a_folder_of_temporary_files_that_is_gone(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        files.sweep_temporary_folders()


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="no regular file"):
        files.write_whole(pipe, b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    files.write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
