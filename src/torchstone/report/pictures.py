"""Pictures for a page: read from a folder that belongs to the run, bounded, as data URIs.

Only files that lie in that very folder, are what their first bytes say, and are small are taken: a run file that comes
with links to elsewhere gets nothing out.
"""

import base64
import io
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from torchstone.report.cleaning import LONGEST_NAME, clean_text
from torchstone.store import SUFFIX

MOST_PICTURES = 16
LARGEST_BYTES = 200_000
LARGEST_TOTAL_BYTES = 1_000_000
LARGEST_SIDE = 4096
"""Pixels: a file of a few bytes can hold a picture of gigabytes."""
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
"""By their first bytes; SVG can hold scripts and is not among them."""
_ENDINGS = (".png", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Picture:
    """One picture, ready to stand in a page."""

    name: str
    uri: str
    size_bytes: int

    @property
    def caption(self) -> str:
        return self.name.rsplit(".", 1)[0].replace("-", " ").replace("_", " ")


def pictures_of_run(url: str, without: Collection[str] = ()) -> list[Picture]:
    """The pictures that a local run kept beside it, but those named; `before` stands before `after`."""
    folder = folder_of_run(url)
    return [] if folder is None else pictures_in(folder, without)


def folder_of_run(url: str) -> Path | None:
    """Where a local run keeps its files; a link there, which may lead anywhere, is not followed."""
    folder = None if "://" in url else Path(url.removesuffix(SUFFIX) + ".files")
    return None if folder is None or folder.is_symlink() else folder


def pictures_in(folder: Path, without: Collection[str] = ()) -> list[Picture]:
    """The pictures of a folder, as many as a page can hold."""
    found: list[Picture] = []
    total = 0
    for path in sorted(_candidates(folder), key=_in_pairs):
        picture = None if path.name in without else _read_picture(path)
        if picture is None or total + picture.size_bytes > LARGEST_TOTAL_BYTES:
            continue
        total += picture.size_bytes
        found.append(picture)
        if len(found) == MOST_PICTURES:
            break
    return found


def picture_named(folder: Path, name: str) -> Picture | None:
    """A picture that a record names: only a file of that very folder, never a way out of it."""
    path = folder / name
    is_inside = bool(name) and "\0" not in name and path.name == name and path.parent == folder
    return _read_picture(path) if is_inside and _is_candidate(path) else None


def _read_picture(path: Path) -> Picture | None:
    """None where it is too large, or not what it says."""
    content = _read_bounded(path)
    kind = None if content is None else _kind_of(content)
    if content is None or kind is None or not _has_bounded_sides(content):
        return None
    uri = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    return Picture(clean_text(path.name, LONGEST_NAME), uri, len(content))


def _candidates(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if _is_candidate(path)]
    except OSError:
        return []


def _is_candidate(path: Path) -> bool:
    return path.suffix.lower() in _ENDINGS and path.is_file() and not path.is_symlink()


def _in_pairs(path: Path) -> tuple[str, str]:
    stem = path.stem
    kind = "0" if stem.endswith("-before") else "1" if stem.endswith("-after") else "2"
    return stem.removesuffix("-before").removesuffix("-after"), kind


def _read_bounded(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= LARGEST_BYTES else None


def _kind_of(content: bytes) -> str | None:
    return next((kind for start, kind in _KINDS.items() if content.startswith(start)), None)


def _has_bounded_sides(content: bytes) -> bool:
    """From the file's head; nothing is decoded."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as image:
                return max(image.size) <= LARGEST_SIDE
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False
