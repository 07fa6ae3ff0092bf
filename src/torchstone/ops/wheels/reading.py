"""Gather the facts of one torch: the installed one, a release that pip can find, or a wheel on disk."""

import re
import tempfile
from pathlib import Path
from typing import Protocol

from torchstone.errors import UserError
from torchstone.ops.wheels import ci_tables, derivatives, keeping, library, op_infos, python_registrations
from torchstone.ops.wheels.archive import Wheel, open_address, open_file, require_torch_for_macos
from torchstone.ops.wheels.facts import Facts, LibraryFacts
from torchstone.ops.wheels.index import find_wheel, require_version
from torchstone.ops.wheels.installed import find_installed
from torchstone.ops.wheels.yaml_table import read_yaml

YAML = "torchgen/packaged/ATen/native/native_functions.yaml"
HEADERS = "torch/include/ATen/MPSFunctions_inl.h"
OLDEST = (2, 6)
"""Before it, the library embeds shader source instead of compiled kernels, and other tables are missing too."""
_TEXTS = (
    YAML,
    HEADERS,
    ci_tables.MEMBER,
    derivatives.MEMBER,
    *op_infos.MEMBERS,
    *python_registrations.MEMBERS,
)
_HEADER = re.compile(r"<ATen/ops/(\w+)_mps_dispatch\.h>")


class Source(Protocol):
    """Something that holds torch's files."""

    @property
    def name(self) -> str: ...

    def read(self, member: str) -> bytes | None: ...


def gather(torch: str | Path | None = None, *, deep: bool = False) -> Facts:
    """The facts of the installed torch (None), of a release (`2.15`) or of a wheel file; `deep` with its library."""
    if torch is None:
        return _gather_installed(deep=deep)
    if isinstance(torch, Path) or str(torch).endswith(".whl"):
        with open_file(Path(torch)) as wheel:
            return _gather_wheel(wheel, deep=deep)
    return _gather_release(require_version(torch), deep=deep)


def _gather_installed(*, deep: bool) -> Facts:
    installed = find_installed()
    path = installed.path_of(library.MEMBER)
    if deep and path is None:
        return _gather_release(installed.release, deep=True)  # no macOS library here: the same release's wheel has it
    members = (*_TEXTS, library.MEMBER) if deep else _TEXTS
    sha256 = installed.fingerprint(members)
    kept = keeping.recall(sha256, deep=deep)
    if kept is not None:
        return kept
    facts = _read(installed, installed.release, sha256, _read_library(path, installed.name) if deep and path else None)
    keeping.keep(facts)
    return facts


def _gather_release(release: str, *, deep: bool) -> Facts:
    _require_readable(release, f"torch {release}")
    kept = keeping.recall_release(release, deep=deep)
    if kept is not None:
        return kept
    with open_address(find_wheel(release)) as wheel:
        return _gather_wheel(wheel, deep=deep)


def _gather_wheel(wheel: Wheel, *, deep: bool) -> Facts:
    release = require_torch_for_macos(wheel)
    _require_readable(release, wheel.name)
    kept = keeping.recall(wheel.sha256, deep=deep)
    if kept is not None:
        return kept
    facts = _read(wheel, release, wheel.sha256, _extract_library(wheel) if deep else None)
    keeping.keep(facts)
    return facts


def _extract_library(wheel: Wheel) -> LibraryFacts:
    with tempfile.TemporaryDirectory() as folder:
        path = wheel.extract(library.MEMBER, Path(folder))
        if path is None:
            raise UserError(f"{wheel.name} holds no {library.MEMBER}", "give the wheel for macosx_…_arm64")
        return _read_library(path, wheel.name)


def _read_library(path: Path, name: str) -> LibraryFacts:
    try:
        return library.read_library(path)
    except ValueError as error:
        raise UserError(f"the library of {name} cannot be read: {error}", "leave out --deep") from None


def _require_readable(release: str, name: str) -> None:
    numbers = tuple(int(part) for part in re.findall(r"\d+", release)[:2])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise UserError(f"{name} is too old to be read: its tables have another form", f"take {oldest} or newer")


def _read(source: Source, release: str, sha256: str, library_facts: LibraryFacts | None) -> Facts:
    yaml = _text(source, YAML)
    if yaml is None:
        raise UserError(f"{source.name} holds no {YAML}", "take torch 2.6 or newer, as pip installs it")
    try:
        table = read_yaml(yaml)
        ci, headers = _text(source, ci_tables.MEMBER), _text(source, HEADERS)
        return Facts(
            torch=release,
            source=source.name,
            sha256=sha256,
            keys=table.keys,
            made_from=table.made_from,
            headers=tuple(_HEADER.findall(headers)) if headers is not None else None,
            python=tuple(
                one
                for member in python_registrations.MEMBERS
                for one in python_registrations.read_python_registrations(_text(source, member) or "")
            ),
            ci=ci_tables.read_ci_tables(ci) if ci is not None else None,
            op_infos=tuple(
                info for member in op_infos.MEMBERS for info in op_infos.read_op_infos(_text(source, member) or "")
            ),
            derivatives=derivatives.read_derivatives(_text(source, derivatives.MEMBER) or ""),
            library=library_facts,
        )
    except (ValueError, SyntaxError) as error:
        raise UserError(
            f"the tables of {source.name} have a form that cannot be read: {error}", "take another release"
        ) from None


def _text(source: Source, member: str) -> str | None:
    data = source.read(member)
    return None if data is None else data.decode("utf-8")
