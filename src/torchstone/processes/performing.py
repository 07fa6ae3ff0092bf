"""In the child: take the call from the channel, run it within its limits, and send back how it ended."""

import contextlib
import os
import pickle
import socket
import sys

import msgspec

from torchstone.processes.channel import Channel
from torchstone.processes.outcome import Limits, is_out_of_memory, tell_error
from torchstone.processes.tying import tie_to_parent
from torchstone.processes.wire import Answer, pack

NOTHING = msgspec.Raw(pack(None))


def be_the_child(connection: socket.socket, server: int) -> None:
    """Run the one call of this process; never returns."""
    try:
        tie_to_parent(server)
        channel = Channel(connection)
        with contextlib.suppress(OSError):  # whoever asked has gone
            _send_answer(channel, _perform(channel))
        flush_streams()
    finally:
        # Not sys.exit: the clean-up of a server, copied by a fork, must not run here, nor torch's, which takes long.
        os._exit(0)


def _perform(channel: Channel) -> Answer:
    try:
        sys.path[:], limits, talks, packed_call = channel.receive()
        channel.limit_bytes = limits.answer_bytes
        call = pickle.loads(packed_call)
        _limit_memory(limits)
        value = call(channel) if talks else call()
        return Answer("returned", _pack_value(value), None, "")
    except SystemExit as error:
        return Answer("exited", NOTHING, None, f"called exit({error.code!r})")
    except BaseException as error:  # whatever it raises is the result
        return _tell(error)


def _pack_value(value: object) -> msgspec.Raw:
    try:
        return msgspec.Raw(pack(value))
    except Exception as error:
        raise TypeError(f"what it returned cannot be sent back: {error}") from None


def _send_answer(channel: Channel, answer: Answer) -> None:
    try:
        channel.answer(answer)
    except ValueError as error:  # too large
        channel.answer(_tell(error))


def _tell(error: BaseException) -> Answer:
    _lift_memory_limit()
    told = tell_error(error)
    return Answer("out_of_memory" if is_out_of_memory(error) else "raised", NOTHING, told, told.traceback)


def _limit_memory(limits: Limits) -> None:
    if limits.memory_bytes is None or sys.platform != "linux":
        return
    import resource

    import psutil

    # RLIMIT_DATA counts private memory only; RLIMIT_AS would count torch's mapped libraries, some gigabytes of them.
    held = psutil.Process().memory_info().data
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (held + limits.memory_bytes, hard))


def _lift_memory_limit() -> None:
    """Where memory ran out, there is none left to say so."""
    if sys.platform != "linux":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
