"""A kill is told as one for want of memory only where the kernel counts one more."""

from pathlib import Path

import pytest

from torchstone.processes import killing

VMSTAT = "nr_free_pages 5\noom_kill {}\ndrop_pagecache 0\n"
EVENTS = "low 0\noom 3\noom_kill {}\noom_group_kill 0\n"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a machine without control groups that has killed twice."""
    monkeypatch.setattr(killing, "OWN_GROUP", tmp_path / "cgroup")
    monkeypatch.setattr(killing, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(killing, "MACHINE", tmp_path / "vmstat")
    (tmp_path / "vmstat").write_text(VMSTAT.format(2))
    return tmp_path


def test_the_machine_tells_where_the_group_does_not(system: Path) -> None:
    assert killing.count_memory_kills() == 2
    (system / "cgroup").write_text("4:memory:/old\n0::/\n")
    assert killing.count_memory_kills() == 2


def test_what_happens_to_others_does_not_count_where_the_group_tells(system: Path) -> None:
    (system / "cgroup").write_text("0::/user.slice/mine\n")
    (system / "groups/user.slice/mine").mkdir(parents=True)
    (system / "groups/user.slice/mine/memory.events").write_text(EVENTS.format(7))
    assert killing.count_memory_kills() == 7


def test_where_nothing_tells(system: Path) -> None:
    (system / "vmstat").unlink()
    assert killing.count_memory_kills() is None
    assert killing.explain_signal(9, None) == f"killed by SIGKILL{killing.BY_ANYBODY}"


def test_why(system: Path) -> None:
    assert killing.explain_signal(9, 2) == f"killed by SIGKILL{killing.BY_ANYBODY}"
    assert killing.explain_signal(9, 1) == f"killed by SIGKILL{killing.FOR_MEMORY}"
    assert killing.explain_signal(9, 1, is_ours=True) == "killed by SIGKILL"
    assert killing.explain_signal(11, 1) == "killed by SIGSEGV"
    assert killing.explain_signal(4, 1) == f"killed by SIGILL{killing.ILLEGAL}"
    assert killing.explain_signal(200, 1) == "killed by signal 200"
