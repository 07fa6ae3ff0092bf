"""Runs on disk: append a record and have it safe before the next is measured; read a run back, torn or whole.

A run is one JSON-lines file on any fsspec URL. On a local folder each record is appended, flushed and synced, so
that `kill -9` at any moment loses at most the line being written. Object stores can't append a line in place: there
the file system's own append (which replaces the object in one step) is used, or the whole object is written anew, so
a reader sees either the old file or the new one. Every run has a file of its own, created exclusively, so two
processes in one folder never meet; a local one is locked while it is written, so that nobody goes on with a run that
is still going.
"""

import contextlib
import errno
import io
import os
import re
import secrets
import warnings
import weakref
from codecs import BOM_UTF8
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import msgspec

from torchstone import records
from torchstone.errors import UserError
from torchstone.files import HELD, lock, open_regular
from torchstone.interrupting import held_back
from torchstone.records import Environment, Finished, Line, Run
from torchstone.store.places import (
    RUNS_VARIABLE,
    append_remote,
    append_synced,
    end_last_line,
    explained,
    is_local,
    open_file_system,
    sync_folder,
)

SUFFIX = ".jsonl"
LAST = re.compile(r"last(?:~(\d{1,6}))?")
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding a line raises that we did not write; the last for brackets without end."""


LARGEST_BYTES = 1 << 30
"""Of a run file; a quick round writes a megabyte."""


PROBLEM_MARKS = (b'"status":"wrong"', b'"status":"failed"', b'"level":"problem"')
"""What a line holds that a report must not pass over, as we write it."""


class RunFileWarning(UserWarning):
    """A run file could be read only in part."""


def default_runs_url() -> str:
    """The folder of runs: `TORCHSTONE_RUNS`, or the user's own data folder."""
    import platformdirs

    return os.environ.get(RUNS_VARIABLE) or str(Path(platformdirs.user_data_dir("torchstone", False)) / "runs")


def new_run_id() -> str:
    """Sorts by time; the random part keeps two processes of one second apart."""
    return f"{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


class RunWriter:
    """Appends records to one run file; each is safe on disk when `append` returns."""

    def __init__(self, run: Run, runs_url: str | None = None) -> None:
        self._place(_inside(runs_url or default_runs_url(), f"{run.id}{SUFFIX}"), is_new=True)
        self._begin(run)
        with explained(self.url, self._is_local):
            self._create(b"".join(records.encode(one) + b"\n" for one in (self._header, *self._records)))
        self._hold()

    @classmethod
    def reopen(cls, url: str) -> "RunWriter":
        """Go on with a run that was stopped: its torn last line, if there is one, is taken off."""
        writer = cls.__new__(cls)
        writer._place(url, is_new=False)
        writer._hold()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunFileWarning)
            writer._begin(read_run(url))
        if writer._is_local:
            with explained(url, True):
                end_last_line(Path(writer._path), records.is_whole)
        return writer

    def _place(self, url: str, is_new: bool) -> None:
        self.url = url
        self._is_new = is_new
        self._held: weakref.finalize[[int], RunWriter] | None = None
        self._file_system, self._path = open_file_system(url)
        self._is_local = is_local(self._file_system)

    def _begin(self, run: Run) -> None:
        self._header = msgspec.structs.replace(run, records=(), finished=())
        self._records, self._finished = list(run.records), list(run.finished)
        self.trouble: UserError | None = None
        """Why a record could not be kept, where one could not."""

    def _hold(self) -> None:
        """Keep others from going on with this run until it is closed; a store elsewhere has no locks."""
        if not self._is_local:
            return
        with explained(self.url, True):
            descriptor = os.open(self._path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0))
        self._held = weakref.finalize(self, os.close, descriptor)
        try:
            lock(descriptor)
        except HELD:
            message = f"another process is writing {self.url}"
            raise UserError(message, "wait until it has ended, or begin a new run") from None
        except OSError:
            pass  # nor has every file system

    @property
    def run(self) -> Run:
        """The run with everything appended so far."""
        return msgspec.structs.replace(self._header, records=tuple(self._records), finished=tuple(self._finished))

    def append_all(self, *found: Line) -> None:
        for record in found:
            self.append(record)

    def append(self, record: Line) -> None:
        with held_back():
            try:
                self._write(records.encode(record) + b"\n")
            except UserError as error:
                self.trouble = error
                raise
            if isinstance(record, Finished):
                self._finished.append(record)
            else:
                self._records.append(record)

    def _write(self, line: bytes) -> None:
        with explained(self.url, self._is_local):
            if self._is_local:
                append_synced(self._path, line)
            else:
                append_remote(self._file_system, self._path, line)

    def close(self) -> None:
        """Let others go on with this run."""
        if self._held is not None:
            self._held()

    def discard_if_empty(self) -> None:
        """Take the file away again where no record came into it: nobody can read anything out of it."""
        if not self._records:
            self.discard()

    def discard(self) -> None:
        """Take the file away: nothing that it holds is worth keeping. What was there before stays."""
        if not self._is_new:
            return
        with contextlib.suppress(Exception):  # whatever a cloud raises: it is only litter
            self._file_system.rm_file(self._path)

    def _create(self, first_lines: bytes) -> None:
        if not self._is_local:
            self._file_system.pipe_file(self._path, first_lines)
            return
        path = Path(self._path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o644, exist_ok=False)
        try:
            append_synced(self._path, first_lines)
        except BaseException:
            path.unlink()
            raise
        sync_folder(path.parent)


def start_run(
    command: str,
    environment: Environment,
    devices: tuple[records.Device, ...],
    runs_url: str | None = None,
    asked: tuple[str, ...] = (),
) -> RunWriter:
    """A new run file with its first line written."""
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    run = Run(id=new_run_id(), started=started, command=command, asked=asked, environment=environment, devices=devices)
    return RunWriter(run, runs_url)


def read_run(url: str) -> Run:
    """The run at `url` with all its finished records; a torn last line is skipped with a `RunFileWarning`."""
    return read_part(url)[0]


def read_part(url: str, most: int | None = None) -> tuple[Run, int]:
    """The run with its first records, and of those after them the problems; with how many were passed over.

    For reports: a stranger's file may hold a million records, which no page can show and no memory should hold.
    """
    lines = _whole_lines(url)
    first = next(lines, None)
    if first is None:
        raise UserError(f"{url} holds no whole line", "it is not a torchstone run, or was cut short; run again")
    schema, run = _decode_header(url, first)
    found: list[Line] = []
    passed = 0
    for number, line in enumerate(lines, 2):
        is_over = most is not None and len(found) >= most
        if is_over and most is not None and (len(found) >= 2 * most or not any(mark in line for mark in PROBLEM_MARKS)):
            passed += 1
        elif line:
            found.append(_decode_line(url, number, line, schema))
    kept = tuple(line for line in found if not isinstance(line, Finished))
    finished = tuple(line for line in found if isinstance(line, Finished))
    return msgspec.structs.replace(run, records=kept, finished=finished), passed


def _whole_lines(url: str) -> Iterator[bytes]:
    """Line by line without their ends; a last one without an end counts where it is whole, as after an editor, and is
    left out with a warning where it is torn."""
    file_system, path = open_file_system(url)
    on_disk = is_local(file_system)
    with explained(url, on_disk, is_read=True):
        file = open_regular(Path(path), LARGEST_BYTES) if on_disk else io.BytesIO(file_system.cat_file(path))
    whole, rest = 0, b""
    with file:
        for line in file:
            if line.endswith(b"\n"):
                whole += 1
                yield line[:-1].removeprefix(BOM_UTF8) if whole == 1 else line[:-1]
            else:
                rest = line
    if not whole and not rest:
        raise UserError(f"{url} is empty", "the run was stopped before it began; delete the file and run again")
    if whole and records.is_whole(rest):
        yield rest
    elif whole and rest:
        message = f"{url}: the last line is torn and was skipped (the run was stopped while writing it)"
        warnings.warn(message, RunFileWarning, stacklevel=2)


def continue_run(name: str, command: str, here: Environment, runs_url: str | None = None) -> RunWriter:
    """Go on with a run of this command (`last`, a path or a URL) that was made here: one run is one machine and one
    torch, and what is measured elsewhere would stand under the wrong name."""
    writer = RunWriter.reopen(find_run(name, runs_url))
    run = writer.run
    if run.command != command:
        raise UserError(
            f"{writer.url} is a run of `{run.command}`", f"go on with a run of `{command}`, or begin a new one"
        )
    for what, then, now in (("chip", run.environment.chip, here.chip), ("torch", run.environment.torch, here.torch)):
        if then != now:
            raise UserError(f"that run was made with {what} {then}; here it is {now}", "begin a new run")
    return writer


def list_runs(runs_url: str | None = None) -> list[str]:
    """The URLs of the runs in a folder, oldest first."""
    url = runs_url or default_runs_url()
    file_system, path = open_file_system(url)
    with explained(url, is_local(file_system)):
        if not file_system.exists(path):
            return []
        if file_system.isfile(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        names = sorted(str(name).rsplit("/", 1)[-1] for name in file_system.ls(path, detail=False))
    return [_inside(url, name) for name in names if name.endswith(SUFFIX)]


def find_run(source: str, runs_url: str | None = None) -> str:
    """`last` is the newest run of the folder, `last~1` the one before; whatever else is a path or URL already."""
    found = LAST.fullmatch(source)
    if found is None or Path(source).exists():
        return source
    runs, back = list_runs(runs_url), int(found[1] or 0)
    if back >= len(runs):
        hint = f"make one: torchstone bench; another folder is set by {RUNS_VARIABLE}"
        raise UserError(f"there is no {source}: {runs_url or default_runs_url()} holds {len(runs)} runs", hint)
    return runs[-1 - back]


def _inside(folder_url: str, name: str) -> str:
    """The URL of a file in a folder; the slashes of a bare scheme (`memory://`) are not a folder's."""
    if folder_url in ("://", "file://"):
        raise UserError(f"{folder_url} names no folder", f"give a folder or URL with --runs or {RUNS_VARIABLE}")
    return f"{folder_url}{name}" if folder_url.endswith("://") else f"{folder_url.rstrip('/')}/{name}"


def _decode_header(url: str, line: bytes) -> tuple[str, Run]:
    """The schema that the file was written in, and its run."""
    hint = "give a file that torchstone wrote; `--runs` says where they are"
    try:
        schema = records.schema_of(line)
    except _UNREADABLE as error:
        raise UserError(f"{url} is not a torchstone run: {error}", hint) from None
    if not records.is_readable(schema):
        if not schema.startswith(records.SCHEMA_FAMILY):
            raise UserError(f"{url} is not a torchstone run: its schema is {schema!r}", hint)
        raise UserError(
            f"{url} has schema {schema!r}; this torchstone reads {' and '.join(records.READABLE)}",
            "read it with the version that wrote it, or upgrade: pip install -U torchstone",
        )
    try:
        return schema, records.decode_run(line, schema)
    except _UNREADABLE as error:
        raise UserError(f"{url}, line 1: {error}", hint) from None


def _decode_line(url: str, number: int, line: bytes, schema: str) -> Line:
    try:
        return records.decode_record(line, schema)
    except _UNREADABLE as error:
        hint = f"the file was edited or damaged; take line {number} out to read what else it holds"
        raise UserError(f"{url}, line {number}: {error}", hint) from None
