"""A file on a server, read by HTTP ranges through pip's own session: only the parts that are needed travel.

pip's session is used because it holds what a person has set up for their index: certificates, proxies, credentials.
It is pip's private interface, so all of it stands in this one file.
"""

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

from torchstone.errors import UserError, first_line_of

_FIRST_READ = 16 * 1024
_LARGEST_READ = 8 * 1024 * 1024
"""Reads that follow each other double up to this: small for a directory, large for a library."""
_MESSAGE_LIMIT = 200
OFFLINE_HINT = "give the wheel as a file: pip download it where the index can be reached, then --wheel FILE"


class RemoteFile(io.RawIOBase):
    """A seekable file over ranges; `received` counts the bytes that travelled."""

    def __init__(self, url: str, session: Any = None) -> None:
        super().__init__()
        self.received = 0
        self._url = url
        self._session = session if session is not None else _pip_session()
        self._position = 0
        self._held = b""
        self._held_from = 0
        self._next_read = _FIRST_READ
        response = self._ask("head", {})
        self._size = int(response.headers.get("Content-Length", 0))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if origin + offset < 0:
            raise OSError("a seek before the beginning")  # as files have it: zipfile looks for its end record so
        self._position = origin + offset
        return self._position

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._position + size, self._size)
        return b"".join(self._parts(end))

    def _parts(self, end: int) -> Iterator[bytes]:
        """The bytes from the position to `end`, from what is held and from the server."""
        while self._position < end:
            start = self._position - self._held_from
            if not 0 <= start < len(self._held):
                self._fetch(end)
                continue
            part = self._held[start : start + end - self._position]
            self._position += len(part)
            yield part

    def _fetch(self, end: int) -> None:
        follows = self._position == self._held_from + len(self._held) and self._held
        self._next_read = min(self._next_read * 2, _LARGEST_READ) if follows else _FIRST_READ
        last = min(max(end, self._position + self._next_read), self._size) - 1
        response = self._ask("get", {"Range": f"bytes={self._position}-{last}"})
        if response.status_code != 206:
            raise UserError("the package index does not serve parts of a wheel", OFFLINE_HINT)
        self._held, self._held_from = response.content, self._position
        self.received += len(self._held)
        if not self._held:
            raise UserError("the package index sent nothing of the wheel", OFFLINE_HINT)

    def _ask(self, method: str, headers: dict[str, str]) -> Any:
        try:
            response = self._session.request(method, self._url, headers={"Accept-Encoding": "identity", **headers})
            response.raise_for_status()
        except Exception as error:  # pip's vendored requests, urllib3 and ssl each have their own
            raise UserError(
                f"the wheel cannot be read from the package index: {first_line_of(error)[:_MESSAGE_LIMIT]}",
                OFFLINE_HINT,
            ) from None
        return response


def _pip_session() -> Any:
    """pip's session with the person's configuration, as `pip download` would have it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pip and setuptools have words to say on each other, which are not ours
        try:
            with contextlib.suppress(ImportError):
                import setuptools  # noqa: F401 - after pip it can't be imported any more, and torch's OpInfos need it
            from pip._internal.commands import create_command
        except ImportError:
            raise UserError("pip is not installed here, so no other torch can be looked up", OFFLINE_HINT) from None
        command: Any = create_command("download", isolated=False)
        options, _ = command.parser.parse_args([])
        return command._build_session(options)  # get_default_session would close it with the command
