"""Keep the facts of a torch between runs, by the hash of what they were read from.

A wheel never changes under its hash, so kept facts need no date. A file that can't be read, or of an older form, is
as good as none: the facts are read anew.
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path

import msgspec
import platformdirs

from torchstone.ops.wheels.facts import FORM, Facts


def folder() -> Path:
    return platformdirs.user_cache_path("torchstone") / "wheels"


def recall(sha256: str, *, deep: bool) -> Facts | None:
    """The kept facts of that hash; with `deep`, only those with the library."""
    facts = _load(_path(sha256))
    return None if facts is None or (deep and facts.library is None) else facts


def recall_release(release: str, *, deep: bool) -> Facts | None:
    """The kept facts of a release's wheel, however it was found: a release is never built anew under its number."""
    wanted = release if release.count(".") > 1 else f"{release}.0"
    for path in sorted(folder().glob("*.json")):
        facts = _load(path)
        if facts is not None and facts.torch == wanted and facts.headers is not None and (facts.library or not deep):
            return facts
    return None


def recall_newer(release: str) -> list[Facts]:
    """The kept facts of wheels of later releases, the oldest first."""
    kept = [facts for path in sorted(folder().glob("*.json")) if (facts := _load(path)) is not None]
    by_release = {facts.torch: facts for facts in kept if facts.headers is not None}
    return [by_release[one] for one in sorted(by_release, key=numbers_of) if numbers_of(one) > numbers_of(release)]


def numbers_of(release: str) -> tuple[int, ...]:
    """For ordering: 2.9 comes before 2.10."""
    return tuple(int(part) for part in re.findall(r"\d+", release)[:3])


def keep(facts: Facts) -> None:
    """Write the facts whole or not at all; a full disk costs the next run time, not this one its answer."""
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder(), suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(facts))
        Path(name).replace(_path(facts.sha256))


def _path(sha256: str) -> Path:
    return folder() / f"{sha256}.json"


def _load(path: Path) -> Facts | None:
    try:
        facts = msgspec.json.decode(path.read_bytes(), type=Facts)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return facts if facts.form == FORM else None
