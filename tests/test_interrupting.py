"""Signals: at any moment one way out, with the right code, without a traceback, and with the terminal as it was."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BEGIN = "import sys, time; from torchstone import interrupting; interrupting.install()\n"
READY = "print('ready', flush=True)\n"
PATIENT = f"{BEGIN}interrupting.LEAVE_S = 600\n"
"""Where the test is of what the program does itself, however long others keep the cores."""
SUMS_UP = f"""{PATIENT}
try:
    {READY}
    time.sleep(600)
except KeyboardInterrupt:
    print('summed up', interrupting.was_interrupted())
    sys.stdout.flush()
interrupting.end(interrupting.exit_code())
"""
SWALLOWS = f"""{BEGIN}
ready = False
while True:
    try:
        if not ready:
            ready = True
            {READY}
        time.sleep(600)
    except BaseException:
        pass
"""
NATIVE = SWALLOWS.replace("time.sleep(600)", "__import__('hashlib').pbkdf2_hmac('sha256', b'', b'', 1 << 30)")
"""Minutes in which the main thread comes back to no line of Python."""
IMPORTING = f"""{BEGIN}sys.path.insert(0, sys.argv[1])
import slow_to_import
"""
IGNORED = f"""import signal, os
signal.signal(signal.SIGHUP, signal.SIG_IGN)
{BEGIN}os.kill(os.getpid(), signal.SIGHUP)
print('still here')
"""
IN_A_CLEAN_UP = f"""{BEGIN}import os, signal
class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)
{READY}Dropped()
time.sleep(600)
"""
AT_THE_VERY_END = f"""{BEGIN}import os, signal
class Dropped:
    def __del__(self, kill=os.kill, me=os.getpid(), number=int(sys.argv[1]), sleep=time.sleep):
        kill(me, number)
        sleep(0.05)
last = Dropped()
interrupting.end(0)
"""
"""Dropped when Python has taken its handlers down; other threads of the program are still there to get a signal."""
CODES = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


def hear_all() -> None:
    """A suite that runs in the background, or under nohup, hands on that Ctrl-C and SIGHUP are ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def program(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_all,
    ) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline() == "ready\n"
            yield started
        finally:
            started.kill()


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("times", [1, 2])
def test_what_was_found_is_summed_up(name: str, times: int) -> None:
    with program(SUMS_UP) as started:
        for _ in range(times):
            started.send_signal(getattr(signal, name))
        output, errors = started.communicate(timeout=60)
    assert (output, errors, started.returncode) == ("summed up True\n", "", CODES[name])


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("code", [SWALLOWS, NATIVE], ids=["swallows", "native"])
def test_whoever_does_not_listen_is_ended(code: str, name: str) -> None:
    with program(code) as started:
        started.send_signal(getattr(signal, name))
        _, errors = started.communicate(timeout=60)
    assert errors in ("", "interrupted\n")
    assert started.returncode == CODES[name]


def test_in_the_middle_of_an_import(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(600)\n")
    with program(IMPORTING, str(tmp_path)) as started:
        started.send_signal(signal.SIGINT)
        _, errors = started.communicate(timeout=60)
    assert (errors, started.returncode) == ("interrupted\n", 130)


def test_in_the_middle_of_an_import_with_something_to_keep(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\nprint('ready', flush=True)\ntime.sleep(600)\n")
    code = f"""{PATIENT}sys.path.insert(0, sys.argv[1])
with interrupting.something_to_keep():
    try:
        import slow_to_import
    except KeyboardInterrupt:
        print('summed up', flush=True)
interrupting.end(interrupting.exit_code())
"""
    with program(code, str(tmp_path)) as started:
        started.send_signal(signal.SIGTERM)
        output, errors = started.communicate(timeout=60)
    assert (output, errors, started.returncode) == ("summed up\n", "", 143)


def test_in_a_clean_up_that_cannot_raise() -> None:
    with program(IN_A_CLEAN_UP) as started:
        _, errors = started.communicate(timeout=60)
    assert (errors, started.returncode) == ("interrupted\n", 143)


def test_what_is_ignored_stays_ignored() -> None:
    done = subprocess.run([sys.executable, "-c", IGNORED], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("still here\n", 0)


def test_when_only_the_end_is_left() -> None:
    code = f"""{PATIENT}import atexit
atexit.register(lambda: (print('ready', flush=True), time.sleep(600)))
interrupting.end(0)
"""
    with program(code) as started:
        started.send_signal(signal.SIGTERM)
        _, errors = started.communicate(timeout=60)
    assert (errors, started.returncode) == ("", 143)


@pytest.mark.parametrize("name", CODES)
def test_when_python_takes_its_own_handlers_down(name: str) -> None:
    number = str(int(getattr(signal, name)))
    done = subprocess.run([sys.executable, "-c", AT_THE_VERY_END, number], preexec_fn=hear_all, check=False)
    assert done.returncode == 0


def test_the_terminals_mode_is_put_back_where_the_program_leaves_at_once() -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    code = f"""{BEGIN}from torchstone.learn import keys
ready = False
with keys.one_key_at_a_time():
    while True:
        try:
            if not ready:
                ready = True
                {READY}
            time.sleep(600)
        except BaseException:
            pass
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        assert termios.tcgetattr(theirs) != before
        started.send_signal(signal.SIGTERM)
        started.communicate(timeout=60)
    assert started.returncode == 143
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("name", CODES)
def test_the_program_itself(name: str) -> None:
    """Early: while it imports, or shortly after."""
    code = (
        "import os, signal, sys, threading, time\n"
        f"threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.{name})).start()\n"
        "print('ready', flush=True)\nsys.argv = ['torchstone', 'devices']\n"
        "from torchstone.cli import main; main()"
    )
    with program(code) as started:
        _, errors = started.communicate(timeout=60)
    assert (errors, started.returncode) == ("interrupted\n", CODES[name])


ANOTHER_THREADS = f"""{PATIENT}import signal, threading
def hears() -> None:
    time.sleep(0.5)  # until the main thread sleeps
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
try:
    {READY}
    threading.Thread(target=hears, daemon=True).start()
    time.sleep(600)
except KeyboardInterrupt:
    print('summed up', flush=True)
interrupting.end(interrupting.exit_code())
"""


def test_a_signal_that_another_thread_gets_wakes_the_main_one() -> None:
    with program(ANOTHER_THREADS) as started:
        output, errors = started.communicate(timeout=60)
    assert (output, errors, started.returncode) == ("summed up\n", "", 143)
