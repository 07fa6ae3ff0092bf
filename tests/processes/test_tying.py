"""Nobody outlives its parent: not a child in the middle of native code, not what it has started, not one in between."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

PROGRAM = """
import ctypes, os, pathlib, signal, subprocess, sys
from torchstone.processes import ForkServer, start

folder, way, what = sys.argv[1:]

def note(name):
    pathlib.Path(folder, name).write_text(str(os.getpid()))

def child():
    subprocess.Popen([sys.executable, "-c", f"import os, pathlib, signal;"
        f"pathlib.Path({folder!r}, 'grandchild').write_text(str(os.getpid())); signal.pause()"],
        start_new_session=sys.platform == "linux")
    note("child")
    if what == "native":
        ctypes.PyDLL(None).pause()  # native code that keeps the interpreter's lock
    signal.pause()

pathlib.Path(folder, "parent").write_text(str(os.getpid()))
server = ForkServer(preload=()) if way == "forked" else None
handle = start(child, forked=server)
pathlib.Path(folder, "server").write_text(str(server._connection.process.pid) if server else "")
handle.wait()
"""


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        threading.Event().wait(0.01)


def is_gone(process: int) -> bool:
    """In a container whose first process reaps nobody, the dead remain as zombies."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def read(path: Path) -> int:
    wait_until(lambda: path.exists() and path.read_text() != "")
    return int(path.read_text())


@pytest.mark.parametrize("way", ["forked", "spawned"])
@pytest.mark.parametrize("what", ["python", "native"])
@pytest.mark.parametrize("signal_name", ["SIGKILL", "SIGTERM"])
def test_all_go_with_the_parent(way: str, what: str, signal_name: str, tmp_path: Path) -> None:
    import signal

    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path), way, what]) as program:
        processes = [read(tmp_path / name) for name in ("child", "grandchild")]
        others = [one.pid for one in psutil.Process(program.pid).children(recursive=True)]
        program.send_signal(getattr(signal, signal_name))
    wait_until(lambda: all(is_gone(one) for one in [*processes, *others]))


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal is Linux's")
def test_the_child_goes_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path), "forked", "native"]):
        child, grandchild = read(tmp_path / "child"), read(tmp_path / "grandchild")
        psutil.Process(read(tmp_path / "server")).kill()
    wait_until(lambda: is_gone(child))
    with contextlib.suppress(psutil.NoSuchProcess):  # in a session of its own: see torchstone.processes.tying
        psutil.Process(grandchild).kill()


def test_a_server_goes_while_it_still_imports(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text(
        f"import os, pathlib, time\npathlib.Path({str(tmp_path)!r}, 'server').write_text(str(os.getpid()))\n"
        "time.sleep(600)\n"
    )
    code = (
        "import signal; from torchstone.processes import ForkServer;"
        "server = ForkServer(('slow_to_import',)); signal.pause()"
    )
    environment = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2] / 'src'}"}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as program:
        server = read(tmp_path / "server")
        program.kill()
    wait_until(lambda: is_gone(server))


def test_a_thread_that_ends_takes_nothing_with_it() -> None:
    """The kernel's signal comes when the thread that started a process ends; ours do not hang on it."""
    from torchstone.processes import ForkServer

    servers: list[ForkServer] = []
    thread = threading.Thread(target=lambda: servers.append(ForkServer(preload=())))
    thread.start()
    thread.join()
    with servers[0] as server:
        process = server._connection.process.pid
        assert server.run(lambda: "still here").value == "still here"
        assert server._connection.process.pid == process
