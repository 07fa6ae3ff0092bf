"""The torch that is installed here, as files: found without importing it."""

import hashlib
import importlib.metadata
import importlib.util
import re
from pathlib import Path

from torchstone.errors import UserError


class InstalledTorch:
    """The folder that holds `torch` and `torchgen`; reads single files of it, as a wheel does."""

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self.version = version
        self.name = f"the installed torch {version}"

    def read(self, member: str) -> bytes | None:
        path = self.folder / member
        return path.read_bytes() if path.is_file() else None

    def path_of(self, member: str) -> Path | None:
        path = self.folder / member
        return path if path.is_file() else None

    def fingerprint(self, members: tuple[str, ...]) -> str:
        """A hash of the files that are read; of a large one, its size and date."""
        digest = hashlib.sha256(self.version.encode())
        for member in members:
            path = self.path_of(member)
            if path is not None:
                facts = path.stat()
                digest.update(f"{member} {facts.st_size} {facts.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    @property
    def release(self) -> str:
        """The version without its local part: `2.13.0` for `2.13.0+cpu`."""
        return re.split(r"[+]", self.version)[0]


def find_installed() -> InstalledTorch:
    """The torch that `import torch` would take."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        raise UserError("no torch is installed here", "name a release (--torch 2.15) or a wheel (--wheel FILE)")
    folder = Path(found.origin).parent.parent
    text = folder / "torch" / "version.py"
    match = re.search(r"__version__ = '([^']+)'", text.read_text(encoding="utf-8")) if text.is_file() else None
    return InstalledTorch(folder, match.group(1) if match else importlib.metadata.version("torch"))
