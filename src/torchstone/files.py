"""Files that others can break: written whole or not at all, read only where they are files, temporary ones swept.

A temporary folder holds a locked file for as long as its owner lives. The system gives the lock back when a process
ends, however it ends, so at the next start every folder whose lock is free is one that nobody needs.
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

PREFIX = "torchstone-"
UNFINISHED = ".torchstone-"
"""Of a folder that is yet to be locked; it gets its name when it is."""
UNFINISHED_S = 60.0
OWNER = ".owner"
HELD = (BlockingIOError, PermissionError)
"""What locking raises where another holds the lock; the second on Windows."""
FAR_BEHIND = 1 << 40


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in place all at once: readers see the old one or the new one, on a full disk the old one.

    What a link leads to is written, not the link; a device or a pipe would be replaced by a file, so it is refused.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    partial = path.with_name(f".{path.name[:100]}.{os.getpid()}-{secrets.token_hex(4)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """What a regular file holds; raises `OSError` for a device, a pipe, a folder, and for more than the limit."""
    with open_regular(path, limit_bytes) as file:
        return file.read(limit_bytes)


def open_regular(path: Path, limit_bytes: int) -> BinaryIO:
    """A regular file opened for reading, for who wants it line by line; raises as `read_regular` does.

    Never waits: opening a pipe as a file would, until somebody writes into it.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(descriptor, "rb")
    try:
        _require_regular(os.fstat(descriptor), path, limit_bytes)
    except OSError:
        file.close()
        raise
    return file


def _require_regular(found: os.stat_result, path: Path, limit_bytes: int) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if found.st_size > limit_bytes:
        raise OSError(errno.EFBIG, f"larger than {limit_bytes:,} bytes", str(path))


@contextlib.contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """An empty folder for as long as the block lasts; what a kill leaves of it is swept at the next start."""
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED))
    lock = _lock(unfinished / OWNER)
    folder = unfinished.with_name(f"{PREFIX}{purpose}-{unfinished.name.removeprefix(UNFINISHED)}")
    try:
        unfinished.rename(folder)
        yield folder
    finally:
        _unlock(lock)
        for place in (folder, unfinished):
            shutil.rmtree(place, ignore_errors=True)


def sweep_temporary_folders() -> None:
    """Remove the folders that dead processes of ours have left; what cannot be removed stays."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith((PREFIX, UNFINISHED)) and _is_abandoned(entry):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_abandoned(entry: "os.DirEntry[str]") -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "getuid") and found.st_uid != os.getuid()):
            return False
        if entry.name.startswith(UNFINISHED):
            return time.time() - found.st_mtime > UNFINISHED_S
        owner = Path(entry.path, OWNER)
        if not owner.is_file():
            return False  # not one of ours
        lock = _lock(owner)
    except OSError:
        return False
    _unlock(lock)
    return lock is not None


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock; None where another process does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if try_lock(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _unlock(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


def try_lock(descriptor: int) -> bool:
    """Whether this process now is the only one that holds the open file's lock."""
    try:
        lock(descriptor)
    except OSError:
        return False
    return True


def lock(descriptor: int) -> None:
    """Hold the open file's lock until it is closed. Where another holds it, raises what `HELD` names; where the file
    system knows no locks, another `OSError`."""
    try:
        import fcntl
    except ImportError:  # Windows
        _lock_windows(descriptor)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_windows(descriptor: int) -> None:
    """Windows keeps everybody from a byte that is locked: one far behind what a file can hold."""
    import msvcrt

    os.lseek(descriptor, FAR_BEHIND, os.SEEK_SET)
    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
