"""`torchstone selftest` as a person runs it, and interrupts it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from torchstone.store import list_runs, read_run

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def test_json_and_the_run_file(program: Program, tmp_path: Path) -> None:
    done = program(
        "selftest", "--budget", "1", "--device", "cpu", "--json", "--runs", str(tmp_path), "--", COLUMNS="80"
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert set(said) == {
        *("schema", "command", "device", "fit", "smallest_change", "promises", "findings", "run", "interrupted")
    }
    assert (said["schema"], said["command"], said["device"]) == ("torchstone/1", "selftest", "cpu")
    assert done.stderr.startswith("the promises of cpu\nA against A (about ")
    assert {one["verdict"] for one in said["promises"]} == {"kept", "not offered"}
    run = read_run(said["run"])
    assert list_runs(str(tmp_path)) == [said["run"]]
    assert [one.name for one in run.measurements][:3] == ["selftest/A", "selftest/A again", "selftest/A"]
    assert len(run.measurements) == 4
    findings = [*said["promises"], *said["findings"]]
    assert [one.subject for one in run.findings] == [one["subject"] for one in findings]
    assert run.command == "selftest"
    assert run.devices[0].id == "cpu"


def test_a_broken_promise_is_said_and_ends_with_one(program: Program) -> None:
    knobs = json.dumps({"spoiled_copies": ["int8"]})
    done = program("selftest", "--budget", "1", "--device", "pretend", TORCHSTONE_PRETEND_KNOBS=knobs, COLUMNS="100")
    assert done.returncode == 1, done.stderr
    rows = [line for line in done.stdout.splitlines() if " come back " in line]
    assert "broken" in rows[0]
    assert "int8, a matrix: 1 of 2145 values differ" in rows[0]
    assert "report it to its makers" in done.stdout


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torchstone", "selftest", "--budget", "4", "--device", "cpu"]
    variables = {**os.environ, "TORCHSTONE_RUNS": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as program:
        assert program.stderr is not None
        while "more work" not in (line := program.stderr.readline()):
            assert line, "it ended before it could be interrupted"
        # Printed after the first comparison is in the file and before the second begins.
        started = psutil.Process(program.pid).children(recursive=True)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate()
    assert program.returncode == 130
    assert "smallest change" in out or "resolution" in out
    assert f"Kept in {tmp_path}" in out
    assert err.strip() == "interrupted"
    [url] = list_runs(str(tmp_path))
    run = read_run(url)
    assert [one.name for one in run.measurements] == ["selftest/A", "selftest/A again"]
    assert all(one.status == "ok" and one.samples for one in run.measurements)
    _, alive = psutil.wait_procs(started, timeout=30)
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("--device", "gpu"), "no device 'gpu' here", "`torchstone devices` lists"),
        (("--runs", "nonsense://x"), "cannot open nonsense://x", "check the address"),
        (("--runs", "/dev/null/runs"), "cannot use /dev/null/runs", "--runs"),
    ],
)
def test_what_cannot_be(program: Program, arguments: tuple[str, ...], message: str, hint: str) -> None:
    done = program("selftest", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    error, advice = done.stderr.splitlines()
    assert error.startswith(f"error: {message}")
    assert advice.startswith("hint: ")
    assert hint in advice


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ("size=64k", "No space left on device", "the disk is full"),
        ("size=64k,ro", "Read-only file system", "give another with --runs"),
    ],
)
def test_disks_that_refuse(program: Program, tmp_path: Path, options: str, message: str, hint: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        if "ro" not in options:
            with pytest.raises(OSError, match="No space left"):
                (disk / "ballast").write_bytes(b"x" * 100_000)
        done = program("selftest", "--runs", str(disk))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert (done.returncode, done.stdout) == (2, "")
    error, advice = done.stderr.splitlines()
    assert message in error
    assert hint in advice
