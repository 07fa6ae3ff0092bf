"""Which lines a program catches failures of, and what may be caught there."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from torchstone.checking.catching import REFUSALS, handler_line

HANDLED = [
    ("try:\n    here()\nexcept RuntimeError:\n    pass", 3),
    ("try:\n    here()\nexcept:\n    pass", 3),
    ("try:\n    here()\nexcept (KeyError, Exception) as error:\n    print(error)", 3),
    ("try:\n    here()\nexcept NotImplementedError:\n    pass", 3),
    ("try:\n    if True:\n        here()\nexcept TypeError:\n    pass", 4),
    ("try:\n    try:\n        here()\n    except KeyError:\n        pass\nexcept RuntimeError:\n    pass", 6),
    (
        "try:\n    pass\nexcept KeyError:\n    pass\nelse:\n    try:\n        here()\n    except Exception:\n        0",
        8,
    ),
    ("def inner():\n    here()\ntry:\n    inner()\nexcept RuntimeError:\n    pass", 5),
    ("import contextlib\nwith contextlib.suppress(RuntimeError):\n    here()", 2),
    ("import nothing_of_the_kind as errors\ntry:\n    here()\nexcept errors.Unknown:\n    pass", 4),
]
NOT_HANDLED = [
    "here()",
    "try:\n    here()\nexcept KeyError:\n    pass",
    "try:\n    here()\nfinally:\n    pass",
    "try:\n    here()\nexcept RuntimeError as error:\n    print(error)\n    raise",
    "try:\n    here()\nexcept RuntimeError as error:\n    raise ValueError from error",
    "try:\n    raise ValueError\nexcept ValueError:\n    here()",
    "try:\n    pass\nexcept RuntimeError:\n    pass\nelse:\n    here()",
    "try:\n    def later():\n        here()\nexcept RuntimeError:\n    pass\nlater()",
    "import contextlib\nwith contextlib.suppress(KeyError):\n    here()",
    "import contextlib\nwith contextlib.nullcontext(RuntimeError):\n    here()",
]


def found_in(code: str, path: Path, raised: Any) -> list[str]:
    """What is found from the place in the code that calls `here`."""
    path.write_text(code + "\n", encoding="utf-8")
    found: list[str] = []
    sys.modules["nothing_of_the_kind"] = object()  # type: ignore[assignment]
    try:
        _run(compile(code, str(path), "exec"), lambda: found.append(handler_line(sys._getframe(1), raised)))
    finally:
        del sys.modules["nothing_of_the_kind"]
    return found


def _run(program: CodeType, here: Callable[[], None]) -> None:
    """In a thread, where nothing stands around it: pytest catches everything."""
    thread = threading.Thread(target=exec, args=(program, {"here": here}))
    thread.start()
    thread.join()


@pytest.mark.parametrize(("code", "line"), HANDLED)
def test_what_is_caught(tmp_path: Path, code: str, line: int) -> None:
    path = tmp_path / "mine.py"
    assert found_in(code, path, REFUSALS) == [f"{path}:{line}"]


@pytest.mark.parametrize("code", NOT_HANDLED)
def test_what_is_not(tmp_path: Path, code: str) -> None:
    assert found_in(code, tmp_path / "mine.py", REFUSALS) == [""]


def test_where_it_is_not_known_what_is_raised_every_handler_counts(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    assert found_in("try:\n    here()\nexcept KeyError:\n    pass", path, ()) == [f"{path}:3"]


def test_what_is_no_python_catches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    path.write_text("%time try", encoding="utf-8")
    found: list[str] = []
    _run(compile("here()", str(path), "exec"), lambda: found.append(handler_line(sys._getframe(1))))
    assert found == [""]
