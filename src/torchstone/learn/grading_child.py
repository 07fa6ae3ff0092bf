"""Inside the process that grades: gets ready, waits for the learner's file, and sends the verdict on it.

An author has dozens of files of one exercise graded, one after another. To get ready takes as long as many a grading,
so the process then stays as it was when it was ready, and grades each file in a fork of itself: a file meets nothing
that another has left.
"""

import mmap
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torchstone.learn.judging import Job, Ready, Submission, get_ready, judge
from torchstone.processes import Channel, adopt_orphans, end_orphans, tie_to_parent


def judge_when_asked(job: Job, channel: Channel) -> None:
    """One file, in this process."""
    ready = _begin(job)
    _judge(job, ready, channel, channel.receive())


def judge_each_in_a_fork(job: Job, channel: Channel) -> None:
    """Until no more files come. Where one ends its process without a verdict, this one ends in the same way: whoever
    asked learns how."""
    ready = _begin(job)
    adopt_orphans()
    told = mmap.mmap(-1, 1)
    """Shared with the forks: whether one has sent its verdict."""
    here = os.getpid()
    for message in channel:
        _empty(job.scratch)
        told[0] = 0
        process = os.fork()
        if process == 0:
            tie_to_parent(here)
            _judge(job, ready, channel, message)
            told[0] = 1
            os._exit(0)
        _, status = os.waitpid(process, 0)
        end_orphans(set())
        if not told[0]:
            _end_like(status)


def _begin(job: Job) -> Ready:
    os.chdir(job.scratch)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    return get_ready(job)


def _judge(job: Job, ready: Ready, channel: Channel, message: Mapping[str, Any]) -> None:
    verdict = judge(job, ready, Submission(**message))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    channel.send(verdict)


def _empty(folder: Path) -> None:
    """Of what the file before has left."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def _end_like(status: int) -> None:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
