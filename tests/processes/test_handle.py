"""The handle: a call that talks, many followed by one thread, and what junk on the pipe costs."""

import math
import os
import selectors
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from typing import Any

import cloudpickle
import psutil
import pytest

from torchstone.processes import Channel, ForkServer, Handle, Limits, start, wait_for_any
from torchstone.records import Finding, Measurement, Setup

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # no child could import the tests

PATIENCE_S = 60.0
"""For what comes at once on an idle machine."""


BEGUN = Finding(kind="device", subject="cpu", verdict="here", tier="measured", evidence="it answered")
FOUND = Measurement(name="one", setup=Setup(), unit="s", samples=(1.0, 2.0))


@pytest.fixture(scope="module")
def forking(may_fork: None) -> Iterator[ForkServer]:
    with ForkServer(preload=()) as one:
        yield one


@pytest.fixture(params=["forked", "spawned"])
def server(request: pytest.FixtureRequest, forking: ForkServer) -> ForkServer | None:
    return forking if request.param == "forked" else None


def echo(channel: Channel) -> str:
    for message in channel:
        channel.send({"got": message})
    return "done"


def junk(content: bytes) -> None:
    """Write into every socket of this process, as code that means harm or is lost might."""
    for descriptor in range(3, 64):
        try:
            socket.socket(fileno=os.dup(descriptor)).sendall(content)
        except OSError:
            continue
    signal.pause()


def tell_and_wait(channel: Channel) -> None:
    os.write(1, b"first\n")
    channel.send("told")
    for _ in channel:
        os.write(1, b"second\n")
        channel.send("told again")


class TestBeforeItsEnd:
    def test_what_was_printed_can_be_taken_while_it_runs(self, server: ForkServer | None) -> None:
        with start(tell_and_wait, forked=server, talks=True) as handle:
            assert handle.receive(PATIENCE_S) == "told"
            assert handle.take_output() == ("first\n", False)
            handle.send("go on")
            assert handle.receive(PATIENCE_S) == "told again"
            assert handle.take_output() == ("first\nsecond\n", False)

    def test_its_time_can_be_counted_anew(self, server: ForkServer | None) -> None:
        with start(echo, limits=Limits(seconds=PATIENCE_S), forked=server, talks=True) as handle:
            handle.send(1)
            assert handle.receive(PATIENCE_S) == {"got": 1}
            before = handle._deadline
            handle.restart_clock()
            assert handle._deadline > before
            assert handle.seconds < PATIENCE_S

    def test_one_that_has_ended_says_the_same(self, server: ForkServer | None) -> None:
        with start(tell_and_wait, forked=server, talks=True) as handle:
            handle.finish()
            assert handle.wait(PATIENCE_S).ended == "returned"
            handle.restart_clock()
            assert handle.receive() == "told"
            assert handle.take_output() == ("first\n", False)

    def test_the_clock_of_one_that_has_not_begun_waits(self, server: ForkServer | None) -> None:
        with start(echo, forked=server, talks=True) as handle:
            handle.restart_clock()
            handle.kill()
            handle.restart_clock()
            assert handle.wait(PATIENCE_S).ended in ("killed", "exited")


class TestTalking:
    def test_a_worker_is_handed_case_after_case(self, server: ForkServer | None) -> None:
        with start(echo, forked=server, talks=True) as handle:
            for number in range(3):
                handle.send(number)
                assert handle.receive(PATIENCE_S) == {"got": number}
            assert handle.receive() is None
            handle.finish()
            outcome = handle.wait()
        assert (outcome.ended, outcome.value) == ("returned", "done")

    def test_a_worker_is_handed_code(self, server: ForkServer | None) -> None:
        def work(channel: Channel) -> None:
            for call in channel:
                channel.send(call(20))

        two = 2
        with start(work, forked=server, talks=True) as handle:
            handle.send(lambda number: number + two)
            assert handle.receive(PATIENCE_S) == 22

    def test_messages_as_they_come_and_typed(self, forking: ForkServer) -> None:
        def work(channel: Channel) -> int:
            channel.send(BEGUN)
            channel.send(FOUND)
            return 7

        with start(work, forked=forking, talks=True, receives=Finding | Measurement) as handle:
            assert list(handle.messages()) == [BEGUN, FOUND]
            assert handle.wait().value == 7

    def test_what_was_sent_before_the_end_can_be_received_after_it(self, forking: ForkServer) -> None:
        def work(channel: Channel) -> None:
            channel.send("last words")
            os.kill(os.getpid(), signal.SIGKILL)

        with start(work, forked=forking, talks=True) as handle:
            assert handle.wait().detail.startswith("killed by SIGKILL")
            assert handle.has_news
            assert handle.receive() == "last words"
            assert handle.receive() is None

    def test_more_than_a_pipe_holds_goes_both_ways(self, forking: ForkServer) -> None:
        large = os.urandom(3_000_000)
        with start(echo, forked=forking, talks=True) as handle:
            for _ in range(2):
                handle.send(large)
            assert [handle.receive(PATIENCE_S) for _ in range(2)] == [{"got": large}] * 2

    def test_sending_to_one_that_has_ended(self, forking: ForkServer) -> None:
        with start(os.getpid, forked=forking) as handle:
            handle.wait()
            with pytest.raises(RuntimeError, match="nothing can be sent"):
                handle.send("too late")

    def test_none_is_no_message(self, forking: ForkServer) -> None:
        with start(lambda channel: channel.send(None), forked=forking, talks=True) as handle:
            error = handle.wait().error
        assert error is not None
        assert error.message == "None is no message"


class TestWaiting:
    def test_one_thread_follows_many(self, forking: ForkServer) -> None:
        threads = threading.active_count()
        handles = [start(echo, forked=forking, talks=True) for _ in range(4)]
        for number, handle in enumerate(handles):
            handle.send(number)
        answers: dict[int, Any] = {}
        while len(answers) < 4:
            for handle in wait_for_any([one for one in handles if handles.index(one) not in answers], PATIENCE_S):
                answers[handles.index(handle)] = handle.receive()
        assert answers == {number: {"got": number} for number in range(4)}
        assert len({handle.process for handle in handles}) == 4
        for handle in handles:
            handle.finish()
        while not all(handle.outcome for handle in handles):
            assert wait_for_any([handle for handle in handles if handle.outcome is None], PATIENCE_S)
        assert threading.active_count() <= threads

    def test_nobody_has_anything_to_say(self, forking: ForkServer) -> None:
        with start(signal.pause, forked=forking) as handle:
            assert wait_for_any([handle], 0.05) == []
        assert wait_for_any([], None) == []

    def test_a_selector_of_ones_own(self, forking: ForkServer) -> None:
        with start(echo, forked=forking, talks=True) as handle, selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            handle.send("hello")
            message = None
            while message is None:
                assert selector.select(PATIENCE_S)
                message = handle.receive()
            assert message == {"got": "hello"}
            assert selector.select(0) == []

    def test_it_still_runs(self, forking: ForkServer) -> None:
        with start(signal.pause, forked=forking) as handle, pytest.raises(TimeoutError):
            handle.wait(0.01)

    def test_several_have_their_own_time(self, forking: ForkServer) -> None:
        with (
            start(signal.pause, limits=Limits(seconds=0.1), forked=forking) as hurried,
            start(signal.pause, limits=Limits(seconds=math.inf), forked=forking) as patient,
        ):
            assert wait_for_any([hurried, patient], PATIENCE_S) == [hurried]
            assert hurried.wait().ended == "timed_out"
            assert patient.outcome is None


class TestEnding:
    def test_kill(self, server: ForkServer | None) -> None:
        with start(echo, forked=server, talks=True) as handle:
            handle.send(1)
            assert handle.receive(PATIENCE_S)
            handle.kill()
            handle.kill()
            outcome = handle.wait()
        assert (outcome.ended, outcome.detail) == ("killed", "killed by SIGKILL")

    def test_kill_before_it_has_begun(self, server: ForkServer | None) -> None:
        with start(signal.pause, forked=server) as handle:
            handle.kill()
            assert handle.wait().ended in ("killed", "exited")

    def test_leaving_the_block_ends_it(self, server: ForkServer | None) -> None:
        with start(echo, forked=server, talks=True) as handle:
            handle.send(1)
            handle.receive(PATIENCE_S)
        assert handle.process is not None
        assert not psutil.pid_exists(handle.process)

    def test_one_death_does_not_touch_the_others(self, forking: ForkServer) -> None:
        with start(echo, forked=forking, talks=True) as living:
            with start(echo, forked=forking, talks=True) as dying:
                dying.kill()
                dying.wait()
            living.send("still here")
            assert living.receive(PATIENCE_S) == {"got": "still here"}

    def test_a_dead_server_takes_its_children_and_is_replaced(self) -> None:
        with ForkServer(preload=()) as server:
            with start(echo, forked=server, talks=True) as handle:
                handle.send(1)
                handle.receive(PATIENCE_S)
                server._connection.process.kill()
                assert handle.wait().detail == "ended the process that had started it"
            assert server.run(lambda: "again").value == "again"


class TestJunk:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"\x00" * 64, "no message of ours"),
            (struct.pack("!cQ", b"m", 1 << 50), "more than the 67,108,864 that it may"),
            (struct.pack("!cQ", b"m", 4) + b"\xc1\xc1\xc1\xc1", "malformed"),
            (struct.pack("!cQ", b"m", 1) + b"\xc0", "empty message"),
            (struct.pack("!cQ", b"m", 200) + b"\x91" * 200, ""),
        ],
    )
    def test_it_costs_that_call_alone(self, server: ForkServer | None, content: bytes, words: str) -> None:
        with start(lambda: junk(content), forked=server) as handle:
            outcome = handle.wait()
        assert outcome.ended == "exited"
        assert words in outcome.detail
        if server is not None:
            assert server.run(lambda: "next").value == "next"

    def test_a_message_of_another_type(self, forking: ForkServer) -> None:
        with start(
            lambda channel: channel.send({"name": "other"}), forked=forking, talks=True, receives=Finding
        ) as one:
            assert "it sent what cannot be read: Object contains unknown field" in one.wait().detail

    def test_an_answer_that_is_none(self, forking: ForkServer) -> None:
        with start(lambda: junk(struct.pack("!cQ", b"a", 3) + b"abc"), forked=forking) as handle:
            while not handle._arrived.answer:
                handle.receive(0.1)
            handle.kill()
            assert handle.wait().detail.startswith("what it returned cannot be read back")

    def test_more_messages_than_anyone_takes(self, forking: ForkServer) -> None:
        def shout(channel: Channel) -> None:
            while True:
                channel.send("x" * 10_000)

        limits = Limits(answer_bytes=100_000)
        with start(shout, limits=limits, forked=forking, talks=True) as handle:
            assert handle.wait().detail == "it sent more than 100,000 bytes that nobody took"


def test_a_handle_leaves_no_descriptor(server: ForkServer | None) -> None:
    def use() -> Handle:
        with start(echo, forked=server, talks=True) as handle:
            handle.send(1)
            handle.receive(PATIENCE_S)
        return handle

    use()
    before = psutil.Process().num_fds()
    use()
    assert psutil.Process().num_fds() == before
