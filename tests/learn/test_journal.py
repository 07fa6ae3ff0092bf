"""The journal of a grading: what the learner's code writes into it costs nothing that was found before."""

import os
from pathlib import Path

import pytest

from torchstone.learn.journal import Begun, Journal
from torchstone.learn.verdicts import CheckResult

RESULT = CheckResult(name="first", mark="solved", passed=True)


@pytest.mark.parametrize("junk", [b"junk\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b'{"event": "ended"}\n', b"{"])
def test_junk_is_passed_over(tmp_path: Path, junk: bytes) -> None:
    journal = Journal(tmp_path)
    journal.add(RESULT)
    journal.begin("second", "solved")
    with journal.path.open("ab") as file:
        file.write(junk)
    remains = journal.read()
    assert (remains.finished, remains.running) == ((RESULT,), Begun("second", "solved"))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_holds_nothing(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    journal = Journal(tmp_path)
    make(journal.path)
    make(journal.trace_file())
    assert journal.read().running is None
    assert not journal.was_traced()
    assert journal.stuck_line(tmp_path / "answer.py") is None
