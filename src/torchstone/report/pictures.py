"""Pictures for a page: read from a folder that belongs to the run, bounded, as data URIs.

Only files that lie in that very folder, are what their first bytes say, and are small are taken: a run file that comes
with links to elsewhere gets nothing out.
"""

import base64
from dataclasses import dataclass
from pathlib import Path

from torchstone.report.cleaning import LONGEST_NAME, clean_text
from torchstone.store import SUFFIX

MOST_PICTURES = 16
LARGEST_BYTES = 200_000
LARGEST_TOTAL_BYTES = 1_000_000
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
"""By their first bytes; SVG can hold scripts and is not among them."""
_ENDINGS = (".png", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Picture:
    """One picture, ready to stand in a page."""

    name: str
    uri: str

    @property
    def caption(self) -> str:
        return self.name.rsplit(".", 1)[0].replace("-", " ").replace("_", " ")


def pictures_of_run(url: str) -> list[Picture]:
    """The pictures that a local run kept beside it; `before` stands before `after`."""
    if "://" in url:
        return []
    return pictures_in(Path(url.removesuffix(SUFFIX) + ".files"))


def pictures_in(folder: Path) -> list[Picture]:
    """The pictures of a folder, as many as a page can hold."""
    found: list[Picture] = []
    total = 0
    for path in sorted(_candidates(folder), key=_in_pairs):
        content = _read_bounded(path)
        kind = None if content is None else _kind_of(content)
        if content is None or kind is None or total + len(content) > LARGEST_TOTAL_BYTES:
            continue
        total += len(content)
        uri = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
        found.append(Picture(clean_text(path.name, LONGEST_NAME), uri))
        if len(found) == MOST_PICTURES:
            break
    return found


def _candidates(folder: Path) -> list[Path]:
    try:
        return [
            path
            for path in folder.iterdir()
            if path.suffix.lower() in _ENDINGS and path.is_file() and not path.is_symlink()
        ]
    except OSError:
        return []


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
