"""Ask pip, with the person's own configuration, where the wheel of a torch release is.

pip resolves it as for an installation (`--dry-run --report`), so whatever index, mirror or folder of wheels a person
has set up is the one that is used; no address is written down here.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from torchstone.errors import UserError
from torchstone.ops.wheels.remote import OFFLINE_HINT

PLATFORMS = {
    "macos": tuple(f"macosx_{version}_0_arm64" for version in (15, 14, 13, 12, 11)),
    "linux": tuple(f"manylinux_2_{version}_x86_64" for version in (34, 28, 17)),
}
"""Tags that torch's wheels have borne since 2.6."""
_PYTHONS = ("3.11", "3.12", "3.13", "3.10")
"""Any serves: what is read is the same for every Python. Tried in order."""
_TIMEOUT_S = 300
_VERSION = re.compile(r"\d+(\.\d+){1,2}([a-z.]+\d+)?")


class WheelAddress(NamedTuple):
    """Where a wheel is: an address that pip gave, and its hash where the index says it."""

    url: str
    sha256: str | None

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


def require_version(text: str) -> str:
    """A release as people write it: `2.15`, `2.15.0`, `torch==2.15`."""
    version = re.sub(r"^torch\s*==\s*", "", text.strip())
    if not _VERSION.fullmatch(version):
        raise UserError(f"{text!r} is no release of torch", "write it as 2.15, 2.15.0 or torch==2.15")
    return version


def find_wheel(version: str, system: str = "macos") -> WheelAddress:
    """The wheel of a release for a system; `UserError` where there is none or the index can't be reached."""
    problems: list[str] = []
    for python in _PYTHONS:
        found, problem = _resolve(version, system, python)
        if found is not None:
            return found
        problems.append(problem)
        if "from versions: none" in problem or "No matching distribution" not in problem:
            break
    raise _refusal(version, system, problems[0])


def _resolve(version: str, system: str, python: str) -> tuple[WheelAddress | None, str]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed", "--no-deps"]
        command += ["--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--python-version", python]
        command += [part for platform in PLATFORMS[system] for part in ("--platform", platform)]
        command += ["--target", str(Path(folder) / "target"), "--report", str(report), _requirement(version)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return None, f"pip did not answer within {_TIMEOUT_S} s"
        if done.returncode or not report.exists():
            return None, done.stderr
        return _address(json.loads(report.read_text(encoding="utf-8"))), ""


def _requirement(version: str) -> str:
    """`==2.13.0` would take a local build such as 2.13.0+cpu before the release itself; `===` does not."""
    return f"torch==={version}" if version.count(".") > 1 else f"torch=={version}"


def _address(report: dict[str, Any]) -> WheelAddress:
    download = report["install"][0]["download_info"]
    hashes = download.get("archive_info", {}).get("hashes", {})
    return WheelAddress(download["url"], hashes.get("sha256"))


def _refusal(version: str, system: str, problem: str) -> UserError:
    if "No module named pip" in problem:
        return UserError("pip is not installed here, so no other torch can be looked up", OFFLINE_HINT)
    released = re.search(r"from versions: ([^)]*)\)", problem)
    if released is not None and released.group(1) not in ("", "none"):
        return UserError(
            f"there is no wheel of torch {version} for {system}",
            f"the package index has {_newest(released.group(1))}",
        )
    lines = [line for line in problem.splitlines() if line.startswith("ERROR") or "rror" in line]
    reason = (lines or ["pip found none"])[-1].removeprefix("ERROR: ")[:200]
    return UserError(f"torch {version} for {system} cannot be looked up: {reason}", OFFLINE_HINT)


def _newest(versions: str) -> str:
    names = [name.strip() for name in versions.split(",") if "+" not in name]
    return ", ".join(names[-8:])
