"""Calls in fresh processes: every way in which one can end, told apart, and nothing left behind."""
# ruff: noqa: T201 - what the calls print is part of what is tested

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from torchstone import processes
from torchstone.errors import UserError
from torchstone.processes import SERVER_ENDED, ForkServer, Limits, Outcome, run_spawned
from torchstone.processes import outcome as outcomes
from torchstone.processes.killing import BY_ANYBODY
from torchstone.records import Fact

Runner = Callable[..., Outcome]
MIB = 1 << 20
INTERRUPTED = """
import sys
from torchstone.processes import ForkServer, run_spawned

path, start = sys.argv[1:]

def hang():
    import os, pathlib, signal
    pathlib.Path(path).write_text(str(os.getpid()))
    signal.pause()

try:
    if start == "forked":
        with ForkServer(preload=()) as server:
            server.run(hang)
    else:
        run_spawned(hang)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module", autouse=True)
def plain_environment() -> Iterator[None]:
    """Some machines set this for all of Python, which would hide whether we keep the order ourselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONUNBUFFERED", raising=False)
        yield


@pytest.fixture(scope="module")
def server(may_fork: None, plain_environment: None) -> Iterator[ForkServer]:
    """Without torch: it starts at once, and what is tested here does not need it."""
    with ForkServer(preload=()) as one:
        yield one


@pytest.fixture(params=["forked", "spawned"])
def run(request: pytest.FixtureRequest, server: ForkServer) -> Runner:
    return server.run if request.param == "forked" else run_spawned


def process_is_gone(pid: int) -> bool:
    """Whether it has ended; in a container whose first process reaps nobody, the dead remain as zombies."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def interrupt(*arguments: object) -> NoReturn:
    raise KeyboardInterrupt


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        threading.Event().wait(0.01)


class TestEndings:
    def test_returned(self, run: Runner) -> None:
        outcome = run(lambda: (os.getpid(), {"a": [1, 2.5]}))
        assert outcome.ended == "returned"
        pid, value = outcome.value
        assert pid != os.getpid()
        assert value == {"a": [1, 2.5]}
        assert (outcome.error, outcome.detail, outcome.output) == (None, "", "")
        assert outcome.seconds > 0

    def test_raised(self, run: Runner) -> None:
        def fail() -> NoReturn:
            raise KeyError("lost")

        outcome = run(fail)
        assert outcome.ended == "raised"
        assert outcome.error is not None
        assert outcome.error.kinds == ("KeyError", "LookupError", "Exception", "BaseException")
        assert outcome.error.is_a(LookupError)
        assert not outcome.error.is_a(TypeError)
        assert (outcome.error.name, outcome.error.message) == ("KeyError", "'lost'")
        assert "KeyError: 'lost'" in outcome.detail
        assert "in fail" in outcome.detail

    def test_a_user_error_comes_back_with_its_hint(self, run: Runner) -> None:
        def fail() -> NoReturn:
            raise UserError("no such thing", "try another")

        with pytest.raises(UserError, match="no such thing") as caught:
            run(fail).raise_user_error()
        assert caught.value.hint == "try another"

    def test_timed_out(self, run: Runner) -> None:
        def hang() -> None:
            print("begun")
            signal.pause()

        outcome = run(hang, Limits(seconds=3.0))
        assert outcome.ended == "timed_out"
        assert outcome.detail == "did not end within 3 s"
        assert outcome.output == "begun\n"

    @pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")
    @pytest.mark.parametrize("piece", [1, MIB])
    def test_out_of_memory(self, run: Runner, piece: int) -> None:
        def grow() -> None:
            held = []
            while True:
                held.append(bytearray(piece))

        outcome = run(grow, Limits(memory_bytes=64 * MIB))
        assert outcome.ended == "out_of_memory"
        assert "MemoryError" in outcome.detail

    @pytest.mark.parametrize(("code", "words"), [(3, "called exit(3)"), (None, "called exit(None)")])
    def test_sys_exit(self, server: ForkServer, code: int | None, words: str) -> None:
        outcome = server.run(lambda: sys.exit(code))
        assert (outcome.ended, outcome.detail) == ("exited", words)

    def test_os_exit(self, run: Runner) -> None:
        outcome = run(lambda: os._exit(7))
        assert (outcome.ended, outcome.detail) == ("exited", "exited with code 7 before it returned")

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, 50])
    def test_killed(self, server: ForkServer, number: int) -> None:
        outcome = server.run(lambda: os.kill(os.getpid(), number))
        assert outcome.ended == "killed"
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        assert outcome.detail == f"killed by {name}{BY_ANYBODY if name == 'SIGKILL' else ''}"

    def test_killed_when_spawned(self) -> None:
        outcome = run_spawned(lambda: os.kill(os.getpid(), signal.SIGKILL))
        assert (outcome.ended, outcome.detail) == ("killed", f"killed by SIGKILL{BY_ANYBODY}")

    def test_an_illegal_instruction_is_explained(self, server: ForkServer) -> None:
        outcome = server.run(lambda: os.kill(os.getpid(), signal.SIGILL))
        assert outcome.detail.startswith("killed by SIGILL: it ran an instruction that this processor")

    def test_keyboard_interrupt_is_an_answer(self, server: ForkServer) -> None:
        def stop() -> NoReturn:
            raise KeyboardInterrupt

        outcome = server.run(stop)
        assert outcome.ended == "raised"
        assert outcome.error is not None
        assert outcome.error.is_a(KeyboardInterrupt)


class TestExceptionsAreTold:
    def test_one_whose_message_fails(self, server: ForkServer) -> None:
        class Mute(Exception):  # noqa: N818
            def __str__(self) -> NoReturn:
                raise TypeError("never")

        def fail() -> NoReturn:
            raise Mute

        outcome = server.run(fail)
        assert outcome.ended == "raised"
        assert outcome.error is not None
        assert (outcome.error.name, outcome.error.message) == ("Mute", "(its message cannot be shown)")

    def test_a_long_one_is_cut(self, server: ForkServer) -> None:
        def fail() -> NoReturn:
            raise ValueError("x" * 1_000_000)

        error = server.run(fail).error
        assert error is not None
        assert len(error.message) == outcomes.MESSAGE_LIMIT
        assert error.message.endswith("x …")
        assert len(error.traceback) < 2 * outcomes.TRACEBACK_LIMIT

    def test_one_that_is_no_text(self, server: ForkServer) -> None:
        def fail() -> NoReturn:
            raise OSError(2, "no such file", "caf\udce9")

        error = server.run(fail).error
        assert error is not None
        assert "caf" in error.message

    @pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have notes from Python 3.11 on")
    def test_notes_come_too(self, server: ForkServer) -> None:
        def fail() -> NoReturn:
            error = ValueError("wrong")
            error.add_note("in the second row")  # type: ignore[attr-defined, unused-ignore]
            raise error

        error = server.run(fail).error
        assert error is not None
        assert error.notes == ("in the second row",)

    def test_a_class_of_the_persons_own_is_named(self, server: ForkServer) -> None:
        class Own(ValueError):  # noqa: N818
            def __reduce__(self) -> NoReturn:
                raise TypeError("never")

        def fail() -> NoReturn:
            raise Own("mine")

        error = server.run(fail).error
        assert error is not None
        assert error.name == "Own"
        assert error.is_a(ValueError)


class TestValues:
    def test_a_record_comes_back_as_what_was_asked_for(self, run: Runner) -> None:
        fact = Fact(value=2.5, source="here")
        assert run(lambda: {"one": fact}, returns=dict[str, Fact]).value == {"one": fact}
        assert run(lambda: {"one": fact}).value == {"one": {"value": 2.5, "source": "here", "reason": None}}

    def test_one_that_is_not_what_was_asked_for(self, server: ForkServer) -> None:
        outcome = server.run(lambda: {"one": 3}, returns=dict[str, Fact])
        assert outcome.ended == "raised"
        assert outcome.detail.startswith("what it returned cannot be read back: Expected `object`, got `int`")

    def test_a_value_that_cannot_be_sent(self, server: ForkServer) -> None:
        outcome = server.run(threading.Lock)
        assert outcome.ended == "raised"
        assert "what it returned cannot be sent back: a _thread.lock cannot be sent" in outcome.detail

    def test_numbers_of_numpy_and_paths(self, server: ForkServer) -> None:
        import numpy

        assert server.run(lambda: [numpy.float64(1.5), Path("a/b")]).value == [1.5, "a/b"]

    def test_nothing_that_comes_back_is_executed(self, server: ForkServer, tmp_path: Path) -> None:
        trap = tmp_path / "executed"

        class Bomb:
            def __reduce__(self) -> tuple[Any, ...]:
                return os.mkdir, (str(trap),)

        outcome = server.run(lambda: pickle.dumps(Bomb()))
        assert outcome.value.startswith(b"\x80")
        assert not trap.exists()

    def test_too_large_an_answer(self, run: Runner) -> None:
        outcome = run(lambda: b"x" * 2_000_000, Limits(answer_bytes=1_000_000))
        assert outcome.ended == "raised"
        assert "more than the 1,000,000 that may be sent back" in outcome.detail

    def test_large_calls_and_values(self, server: ForkServer) -> None:
        data = os.urandom(20 * MIB)
        assert server.run(lambda: data[::-1]).value == data[::-1]

    def test_tensors_in_lambdas(self) -> None:
        import torch

        weight = torch.arange(6.0).reshape(2, 3)
        with ForkServer() as with_torch:
            outcome = with_torch.run(lambda: (weight @ weight.T).tolist())
            assert outcome.ended == "returned", outcome.detail
            assert outcome.value == (weight @ weight.T).tolist()
            huge = with_torch.run(lambda: torch.ones(1 << 40, dtype=torch.float64), Limits(memory_bytes=256 * MIB))
            assert huge.ended == "out_of_memory"

    @pytest.mark.parametrize("start", ["forked", "spawned"])
    def test_a_call_that_cannot_be_sent(self, server: ForkServer, start: str) -> None:
        lock = threading.Lock()
        run = server.run if start == "forked" else run_spawned
        with pytest.raises(UserError, match="cannot be sent to a fresh process") as caught:
            run(lambda: lock)
        assert "processes=0" in caught.value.hint

    def test_a_module_found_only_on_our_path(
        self, run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "model_beside_the_script.py").write_text("def answer():\n    return 42\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        import model_beside_the_script  # type: ignore[import-not-found]

        outcome = run(model_beside_the_script.answer)
        assert outcome.value == 42, outcome.detail


class TestOutput:
    def test_kept_in_order(self, run: Runner) -> None:
        def speak() -> None:
            print("one")
            print("two", file=sys.stderr)
            os.write(1, b"three\n")
            subprocess.run([sys.executable, "-c", "print('four')"], check=True)
            print("five", end="")

        assert run(speak).output == "one\ntwo\nthree\nfour\nfive"

    def test_what_was_printed_before_a_crash_is_kept(self, server: ForkServer) -> None:
        def crash() -> None:
            print("last words", end="")
            os.kill(os.getpid(), signal.SIGKILL)

        assert server.run(crash).output == "last words"

    def test_huge_output_is_bounded(self, run: Runner) -> None:
        def shout() -> str:
            for _ in range(64):
                os.write(1, b"x" * MIB)
            return "done"

        outcome = run(shout, Limits(output_bytes=1000))
        assert outcome.value == "done"
        assert (len(outcome.output), outcome.output_cut) == (1000, True)

    def test_a_runaway_print_is_stopped_in_time(self, run: Runner) -> None:
        def shout() -> None:
            while True:
                os.write(1, b"x" * MIB)

        outcome = run(shout, Limits(seconds=2.0))
        assert outcome.ended == "timed_out"
        assert outcome.seconds < 60
        assert len(outcome.output) == outcomes.OUTPUT_LIMIT_BYTES

    def test_what_is_not_text_is_shown_as_far_as_it_can_be(self, server: ForkServer) -> None:
        assert server.run(lambda: os.write(1, b"\xff ok")).output == "\ufffd ok"

    def test_nobody_answers_a_question(self, run: Runner) -> None:
        outcome = run(input)
        assert outcome.error is not None
        assert outcome.error.is_a(EOFError)


class TestNothingIsLeftBehind:
    def test_grandchildren_end_with_the_call(self, run: Runner) -> None:
        def leave_one_behind() -> int:
            return subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]).pid

        outcome = run(leave_one_behind)
        assert outcome.ended == "returned"
        wait_until(lambda: process_is_gone(outcome.value))

    def test_grandchildren_end_with_the_time(self, server: ForkServer) -> None:
        def leave_one_behind() -> None:
            child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
            print(child.pid)
            child.wait()

        outcome = server.run(leave_one_behind, Limits(seconds=2.0))
        assert outcome.ended == "timed_out"
        wait_until(lambda: process_is_gone(int(outcome.output)))

    def test_twenty_jobs_leave_no_process_and_no_descriptor(self, server: ForkServer) -> None:
        def jobs() -> Iterator[Callable[[], Any]]:
            yield from [os.getpid, lambda: os._exit(1), lambda: 1 / 0, lambda: os.kill(os.getpid(), 9)] * 5

        server.run(os.getpid)
        gc.collect()  # what other tests of this process have left must not be let go of in the middle
        ourselves, its_process = psutil.Process(), psutil.Process(server._connection.process.pid)
        before = (ourselves.num_fds(), its_process.num_fds(), len(ourselves.children(recursive=True)))
        for job in jobs():
            server.run(job)

        def counts() -> tuple[int, int, int]:
            return ourselves.num_fds(), its_process.num_fds(), len(ourselves.children(recursive=True))

        def none_has_more() -> bool:
            return all(now <= then for now, then in zip(counts(), before, strict=True))

        wait_until(none_has_more)  # the server lets go of the last child in its own time

    def test_a_spawned_call_leaves_no_descriptor(self) -> None:
        ourselves = psutil.Process()
        before = (ourselves.num_fds(), len(ourselves.children(recursive=True)), threading.active_count())
        run_spawned(os.getpid)
        assert (ourselves.num_fds(), len(ourselves.children(recursive=True)), threading.active_count()) == before

    def test_the_server_ends_when_it_is_closed(self) -> None:
        server = ForkServer(preload=())
        server.close()
        server.close()
        assert server._connection.process.returncode == 0
        assert server.run(os.getpid) == Outcome("exited", detail=SERVER_ENDED)

    def test_the_server_ends_when_we_die(self) -> None:
        code = (
            "import os; from torchstone.processes import ForkServer; server = ForkServer(preload=());"
            "print(server._connection.process.pid, flush=True); server.run(os.getpid); os.kill(os.getpid(), 9)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        wait_until(lambda: process_is_gone(int(done.stdout)))

    @pytest.mark.parametrize("start", ["forked", "spawned"])
    def test_ctrl_c_ends_the_call_too(self, start: str, tmp_path: Path) -> None:
        path = tmp_path / "pid"
        command = [sys.executable, "-c", INTERRUPTED, str(path), start]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            wait_until(lambda: path.exists() and path.read_text() != "")
            program.send_signal(signal.SIGINT)
            assert program.communicate()[0] == "interrupted\n"
        wait_until(lambda: process_is_gone(int(path.read_text())))

    def test_a_running_call_ends_when_we_are_killed(self, tmp_path: Path) -> None:
        path = tmp_path / "pid"
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(path), "forked"]) as program:
            wait_until(lambda: path.exists() and path.read_text() != "")
            program.kill()
        wait_until(lambda: process_is_gone(int(path.read_text())))

    def test_ctrl_c_while_the_call_is_handed_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = psutil.Process().num_fds()
        with ForkServer(preload=()) as server:
            with monkeypatch.context() as patch:
                patch.setattr(socket, "send_fds", interrupt)
                with pytest.raises(KeyboardInterrupt):
                    server.run(os.getpid)
            assert server.run(lambda: "next").value == "next"
        assert psutil.Process().num_fds() == before

    def test_after_ctrl_c_the_server_does_not_mix_up_its_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with ForkServer(preload=()) as server:
            with monkeypatch.context() as patch:
                patch.setattr(processes.Handle, "wait", interrupt)
                with pytest.raises(KeyboardInterrupt):
                    server.run(lambda: "first")
            assert server.run(lambda: "second").value == "second"


class TestTheServerItself:
    def test_its_death_is_a_sentence(self) -> None:
        with ForkServer(preload=()) as server:
            outcome = server.run(lambda: (os.kill(os.getppid(), signal.SIGKILL), signal.pause()))  # type: ignore[func-returns-value]
            assert (outcome.ended, outcome.detail) == ("exited", SERVER_ENDED)
            assert server.run(lambda: "again").value == "again"

    def test_a_preload_that_is_not_there(self, capfd: pytest.CaptureFixture[str]) -> None:
        with ForkServer(preload=("no_such_package",)) as server:
            assert server.run(os.getpid).detail == SERVER_ENDED
        assert "no_such_package" in capfd.readouterr().err

    def test_after_a_timeout_the_next_answer_is_the_next_calls(self, server: ForkServer) -> None:
        for number in range(3):
            assert server.run(signal.pause, Limits(seconds=0.05)).ended == "timed_out"
            assert server.run(lambda number=number: number).value == number  # type: ignore[misc]

    def test_children_do_not_see_each_other(self, server: ForkServer) -> None:
        def mark() -> int:
            os.environ["TORCHSTONE_MARK"] = "1"
            sys.modules["torchstone_mark"] = sys
            return os.getpid()

        first = server.run(mark).value
        outcome = server.run(lambda: (os.getpid(), "TORCHSTONE_MARK" in os.environ, "torchstone_mark" in sys.modules))
        assert outcome.value[1:] == [False, False]
        assert outcome.value[0] != first

    def test_where_forking_is_not_safe(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not processes.fork_is_safe("cuda")
        monkeypatch.setattr(sys, "platform", "darwin")
        assert not processes.fork_is_safe("cpu")
        with pytest.raises(UserError, match="not safe on darwin"):
            ForkServer()

    def test_where_forking_is_forbidden(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TORCHSTONE_NO_FORK", "1")
        assert not processes.fork_is_safe("cpu")
        with pytest.raises(UserError, match="TORCHSTONE_NO_FORK forbids it"):
            ForkServer()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
            True,
        ),
        (RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"), True),
        (RuntimeError("unable to mmap 8 bytes: Cannot allocate memory (12)"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (OSError(2, "out of memory.txt not found"), False),
        (RuntimeError("shapes do not match"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_is_out_of_memory(error: BaseException, expected: bool) -> None:
    assert processes.is_out_of_memory(error) is expected
