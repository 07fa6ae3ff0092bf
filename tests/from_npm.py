"""What the tests take from npm, at the versions and the checksums of `tests/npm/package-lock.json`."""

import functools
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_WANTED = ("package.json", "package-lock.json")
_INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")
_INSTALL_S = 120


class NotInstalledError(Exception):
    """Why npm could not give it; the tests that need it are skipped, or fail in CI."""


@functools.cache
def npm_packages() -> Path:
    """The folder `node_modules`. Installed once for a lock file, and kept under `build/`."""
    wanted = Path(__file__).parent / "npm"
    version = hashlib.sha256(b"".join((wanted / name).read_bytes() for name in _WANTED)).hexdigest()[:12]
    kept = _ROOT / "build" / "npm" / version
    if not kept.exists():
        _install(wanted, kept)
    return kept / "node_modules"


def _install(wanted: Path, kept: Path) -> None:
    """In a folder of its own, put in place whole: two test processes may do this at once, and one of them is first."""
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError("npm is not installed")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        making = Path(folder) / kept.name
        making.mkdir()
        for name in _WANTED:
            shutil.copy(wanted / name, making)
        _run_npm(npm, making)
        try:
            making.rename(kept)
        except OSError:
            if not kept.exists():
                raise


def _run_npm(npm: str, folder: Path) -> None:
    try:
        done = subprocess.run(
            [npm, *_INSTALL], cwd=folder, capture_output=True, text=True, timeout=_INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"npm did not finish within {_INSTALL_S} s") from None
    if done.returncode != 0:
        raise NotInstalledError(f"npm could not install what the tests need: {done.stderr.strip()[-200:]}")
