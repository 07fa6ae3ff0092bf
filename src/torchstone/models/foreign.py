"""Run somebody else's code: import a file or module, call what it names, and say where in it a failure happened.

A person's file may print (shown on stderr: stdout belongs to `--json`), raise anything, or call `sys.exit`; each
becomes one sentence with the line of theirs that did it, not a traceback through ours.
"""

import contextlib
import importlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from torchstone.errors import UserError, nearest_names, one_line_of
from torchstone.interrupting import was_interrupted

SUFFIX = ".py"
UNDER_MAIN_HINT = "put what runs a program under `if __name__ == '__main__':`"
STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


@contextlib.contextmanager
def importable_from(place: str) -> Iterator[None]:
    """Within, imports find what stands beside the person's file (or in the current folder), as `python FILE` would.

    Afterwards that folder goes to the end of the path: their late imports still work, and a file of theirs that is
    called like a library does not take its place when we import that library.
    """
    folder = str(Path(place).expanduser().resolve().parent if is_file(place) else Path.cwd())
    was_there = folder in sys.path
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if not was_there:
            sys.path.append(folder)


def import_name(place: str, attribute: str) -> Any:
    """What the file or module calls `attribute`."""
    module = _import_file(Path(place).expanduser()) if is_file(place) else _import_module(place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise UserError(f"{place} has no {attribute!r}", names_hint(*_names_in(module), attribute)) from None


def call_explained(name: str, function: Callable[[], Any], exit_hint: str = UNDER_MAIN_HINT) -> Any:
    """What a function of theirs returns; whatever it raises is explained with its own line."""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            return function()
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt) and was_interrupted():
                raise
            hint = exit_hint if isinstance(error, SystemExit) else _failure_hint(error)
            raise UserError(f"{name} failed: {describe_failure(error)}", hint) from error


def describe_failure(error: BaseException) -> str:
    """What was raised and at which line; the innermost line that is not of a library, where there is one."""
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        return f"{Path(error.filename or '?').name}, line {error.lineno}: {error.msg}: `{line}`"
    what = f"exit({error.code!r}) was called" if isinstance(error, SystemExit) else _one_line(error)
    frame = _their_frame(error)
    if frame is None:
        return what
    return f"{Path(frame.filename).name}, line {frame.lineno}: {what}: `{frame.line}`"


def is_file(place: str) -> bool:
    """Whether a place is meant as a file rather than as a module."""
    return place.endswith(SUFFIX) or "/" in place or "\\" in place


def require_file(path: Path) -> None:
    """Refuse what is no file of Python."""
    if not path.is_file():
        raise UserError(f"there is no file {path}", _files_hint(path))
    if path.suffix != SUFFIX:
        raise UserError(f"{path} is not a Python file", f"its name should end in {SUFFIX}")


def _import_file(path: Path) -> ModuleType:
    require_file(path)
    # Not its own name: a file called torch.py or test.py must not replace a module of that name.
    name = f"torchstone_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} cannot be imported", "see whether it is a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    call_explained(str(path), lambda: spec.loader.exec_module(module))  # type: ignore[union-attr]
    _pickle_by_value(module)
    return module


def _pickle_by_value(module: ModuleType) -> None:
    """So that a fresh process, which can't import a module by our made-up name, gets its classes and functions too."""
    import cloudpickle

    cloudpickle.register_pickle_by_value(module)


def _import_module(place: str) -> ModuleType:
    if not all(part.isidentifier() for part in place.split(".")):
        raise UserError(f"{place!r} is neither a file nor a module", "a file's name ends in .py: path/to/file.py:name")
    if not call_explained(place, lambda: _exists(place)):
        raise UserError(f"there is no module {place!r} here", _module_hint(place))
    module: ModuleType = call_explained(place, lambda: importlib.import_module(place))
    return module


def _exists(place: str) -> bool:
    """Imports the packages around the module, but not the module."""
    try:
        return importlib.util.find_spec(place) is not None
    except ModuleNotFoundError as error:
        if error.name is not None and (place == error.name or place.startswith(f"{error.name}.")):
            return False
        raise


def _files_hint(path: Path) -> str:
    if path.is_dir():
        return "that is a folder: name a file in it"
    beside = [each.name for each in path.parent.glob(f"*{SUFFIX}")] if path.parent.is_dir() else []
    near = nearest_names(path.name, beside, 1)
    return f"did you mean {path.parent / near[0]}?" if near else f"it is looked for from {Path.cwd()}"


def _module_hint(place: str) -> str:
    path = Path(*place.split(".")).with_suffix(SUFFIX)
    if path.is_file():
        return f"for the file, write {path}:NAME"
    return "install it where torchstone runs, or name the file: path/to/file.py:name"


def _names_in(module: ModuleType) -> tuple[list[str], list[str]]:
    """What can be called, and of it what the file itself defines."""
    names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
    return names, [name for name in names if getattr(vars(module)[name], "__module__", None) == module.__name__]


def names_hint(names: Sequence[str], own: Sequence[str], wanted: str) -> str:
    """What may have been meant by a name that is not there."""
    near = nearest_names(wanted, names, 1)
    if near:
        return f"did you mean {near[0]}?"
    return f"it has: {', '.join(own[:10])}" if own else "it defines no function or class"


def _failure_hint(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"install {error.name} in the environment in which torchstone runs"
    return "mend that line; running the file with python shows the whole traceback"


def _their_frame(error: BaseException) -> traceback.FrameSummary | None:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    theirs = [frame for frame in frames if not _is_library(frame.filename)]
    return theirs[-1] if theirs else (frames[-1] if frames else None)


def _is_library(filename: str) -> bool:
    return filename.startswith(("<", STANDARD_LIBRARY)) or "site-packages" in filename


def _one_line(error: BaseException) -> str:
    text = one_line_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
