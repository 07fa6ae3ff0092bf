"""A wheel, near or far: single files of it, and what it was built for."""

import hashlib
import re
import shutil
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import unquote, urlsplit

from torchstone.errors import UserError
from torchstone.files import open_regular
from torchstone.ops.wheels.index import WheelAddress
from torchstone.ops.wheels.remote import RemoteFile

_PIECE = 1 << 20
LARGEST_BYTES = 16 << 30
"""Of a wheel; CUDA's are of a few GiB."""
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)
_NAME = re.compile(r"^torch-(?P<version>[^-]+)-(?:\d\w*-)?\w+-\w+-(?P<platform>[\w.]+)\.whl$")
_CUT_SHORT_HINT = "download it again: pip checks a wheel's hash, a browser does not"


class Wheel:
    """An open wheel, closed by `with`. `name` is its file name; `sha256` its hash."""

    def __init__(self, file: BinaryIO, name: str, sha256: str) -> None:
        self.name = name
        self.sha256 = sha256
        self._file = file
        try:
            self._archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            file.close()
            raise UserError(f"{name} is cut short or is no wheel", _CUT_SHORT_HINT) from None
        except BaseException:
            file.close()
            raise
        self._members = set(self._archive.namelist())

    def __enter__(self) -> "Wheel":
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._file.close()

    def read(self, member: str) -> bytes | None:
        """The file's bytes; None where the wheel has no such file."""
        if member not in self._members:
            return None
        try:
            return self._archive.read(member)
        except _DAMAGED as error:
            raise UserError(f"{self.name} is cut short: {member}: {error}", _CUT_SHORT_HINT) from None

    def extract(self, member: str, folder: Path) -> Path | None:
        """The file on disk, written piece by piece; None where the wheel has no such file."""
        if member not in self._members:
            return None
        path = folder / Path(member).name
        try:
            with self._archive.open(member) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target, _PIECE)
        except _DAMAGED as error:
            raise UserError(f"{self.name} is cut short: {member}: {error}", _CUT_SHORT_HINT) from None
        return path

    @property
    def members(self) -> frozenset[str]:
        return frozenset(self._members)


def open_file(path: Path) -> Wheel:
    """A wheel on disk."""
    try:
        file = open_regular(path, LARGEST_BYTES)
        digest = _digest(file)
    except OSError as error:
        raise UserError(
            f"the wheel {path} cannot be read: {error.strerror or error}", "give the path of a .whl file"
        ) from None
    file.seek(0)
    return Wheel(file, path.name, digest.hexdigest())


def _digest(file: BinaryIO) -> "hashlib._Hash":
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest


def open_address(address: WheelAddress) -> Wheel:
    """A wheel that pip named: a file of a local index, or one read by ranges."""
    parts = urlsplit(address.url)
    if parts.scheme == "file":
        return open_file(Path(unquote(parts.path)))
    remote = RemoteFile(address.url)
    # Without a hash from the index, the address itself tells one wheel from another.
    sha256 = address.sha256 or hashlib.sha256(address.url.encode()).hexdigest()
    return Wheel(cast(BinaryIO, remote), unquote(address.name), sha256)


def require_torch_for_macos(wheel: Wheel) -> str:
    """The release of a torch wheel for Apple silicon; `UserError` for any other."""
    if "torch/version.py" not in wheel.members:
        raise UserError(f"{wheel.name} is no wheel of torch", "give a wheel whose name begins with torch-")
    version, platform = _built_for(wheel)
    if "macosx" not in platform or "arm64" not in platform:
        raise UserError(
            f"{wheel.name} is built for {platform or 'another system'}, which says nothing of MPS",
            "give the wheel for macosx_…_arm64",
        )
    return version


def _built_for(wheel: Wheel) -> tuple[str, str]:
    """Release and platform, from the wheel's own record; its file name may have been changed."""
    record = next((name for name in wheel.members if re.fullmatch(r"torch-[^/]+\.dist-info/WHEEL", name)), "")
    text = (wheel.read(record) or b"").decode("utf-8", "replace")
    tags = re.findall(r"^Tag: \S+-(\S+)$", text, re.MULTILINE)
    version = record.removeprefix("torch-").partition(".dist-info")[0]
    match = _NAME.match(wheel.name)
    if match is not None and not tags:
        return match["version"], match["platform"]
    return version, " ".join(tags)
