"""Start Python anew, without the current folder on its path, and decide where a fork may take its place.

`python -m` and `python -c` put the current folder before the standard library: a `random.py` in the folder where
somebody types `torchstone bench` would be executed. `-P` forbids that from Python 3.11 on; the first line that runs
here does it for every version, before anything is imported.
"""

import os
import sys
from pathlib import Path

NO_FORK_VARIABLE = "TORCHSTONE_NO_FORK"
_PACKAGES = str(Path(__file__).parents[2])
"""Where torchstone itself is found; last on a child's path, where it hides nothing."""
_BEGIN = (
    "import sys; sys.path[:] = [place for place in sys.path if place]; sys.path.append(sys.argv.pop(1)); import runpy;"
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def python_command(module: str, *arguments: str) -> list[str]:
    """Like `python -m MODULE ARGUMENT…`, without the current folder on the path.

    Unbuffered: what is printed keeps its order, and is there too when the process is killed.
    """
    return [sys.executable, "-u", "-c", _BEGIN, _PACKAGES, module, *arguments]


def path_for_a_child() -> list[str]:
    """Our own path; the current folder, where a notebook or `python -c` has it first, comes last."""
    named = [place for place in sys.path if place]
    return named if len(named) == len(sys.path) else [*named, *_current_folder()]


def _current_folder() -> list[str]:
    try:
        return [str(Path.cwd())]
    except OSError:  # it is gone
        return []


def fork_is_safe(device_kind: str = "cpu") -> bool:
    """Whether a fork of a process with torch loaded works: on Linux, for devices without a runtime of their own.

    `TORCHSTONE_NO_FORK=1` forbids it there too: everything is then started anew, as on other systems.
    """
    forbidden = os.environ.get(NO_FORK_VARIABLE, "") not in ("", "0")
    return sys.platform == "linux" and device_kind in ("cpu", "pretend") and not forbidden
