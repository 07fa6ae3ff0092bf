"""Where runs are kept, a disk or a cloud: bytes put there safely, and what either refuses said in a sentence."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torchstone.errors import UserError

RUNS_VARIABLE = "TORCHSTONE_RUNS"


def append_synced(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        start = os.fstat(descriptor).st_size
        try:
            _write_all(descriptor, data)
        except BaseException:
            # A full disk or Ctrl-C leaves half a line: take it back, so that the file stays whole for its readers.
            os.ftruncate(descriptor, start)
            raise
        try:
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, start)
            raise
    finally:
        os.close(descriptor)


def end_last_line(path: Path, is_whole: Callable[[bytes], bool]) -> None:
    """Give a last line without an end its end, or take it off where it is torn."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole == len(content):
        return
    if is_whole(content[whole:]):
        append_synced(str(path), b"\n")
    else:
        os.truncate(path, whole)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """A new file is safe only once its folder's entry is too; Windows can't open folders and needs none of it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_remote(file_system: Any, path: str, line: bytes) -> None:
    try:
        with file_system.open(path, "ab") as file:
            file.write(line)
    except (NotImplementedError, ValueError):  # no append there, as on Google's object store
        file_system.pipe_file(path, file_system.cat_file(path) + line)


def open_file_system(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    scheme = url.split("://", 1)[0]
    try:
        file_system, path = url_to_fs(url, use_listings_cache=False)
    except ImportError as error:
        hint = f"install what {scheme}:// needs, or give a folder"
        raise UserError(f"cannot open {url}: {error}", hint) from None
    except Exception as error:  # some file systems connect here already, and each raises what it likes
        raise UserError(f"cannot open {url}: {error}", "check the address, or give a folder") from None
    return file_system, str(path)


def is_local(file_system: Any) -> bool:
    protocol = file_system.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


@contextmanager
def explained(url: str, is_local: bool, is_read: bool = False) -> Iterator[None]:
    """Turn what a disk or a cloud can refuse into a sentence."""
    try:
        yield
    except OSError as error:
        hint = _reading_hint(error) if is_read else _disk_hint(error)
        raise UserError(f"cannot use {url}: {_disk_words(error)}", hint) from None
    except Exception as error:
        # Each cloud's library has its own tree of exceptions (no credentials, no route, no bucket), unknown to us.
        if is_local:
            raise
        hint = "check the address and the credentials of that store"
        raise UserError(f"cannot use {url}: {error}", hint) from None


def _disk_words(error: OSError) -> str:
    """What went wrong; a cloud's FileNotFoundError often holds the path alone."""
    if error.strerror is None and isinstance(error, FileNotFoundError):
        return f"{os.strerror(errno.ENOENT)} ({error})"
    return error.strerror or str(error)


def _reading_hint(error: OSError) -> str:
    if error.errno in (errno.EINVAL, errno.EISDIR, errno.EFBIG):
        return f"give a run file that torchstone wrote; {RUNS_VARIABLE} says where they are"
    return f"check the address, or its path and permissions; `last` is the newest run of {RUNS_VARIABLE}"


def _disk_hint(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space or give another folder with --runs; what was written is kept"
    if isinstance(error, FileNotFoundError):
        return f"check the path; `--runs` or {RUNS_VARIABLE} says where runs are"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return f"the folder cannot be written or read: give another with --runs or {RUNS_VARIABLE}"
    return f"give another folder or URL with --runs or {RUNS_VARIABLE}"
