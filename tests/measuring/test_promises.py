"""The promises of a device: kept by the pretend one, broken one by one by its knobs; and those of a real one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone.backends import NoEnergyCounter, find_device
from torchstone.measuring import promises
from torchstone.measuring.copies import DTYPES, check_copies, fill, same_bits
from torchstone.measuring.promises import Subject, check_after_death, check_promises
from torchstone.records import Finding

pytestmark = pytest.mark.usefixtures("one_thread")
SLOW: dict[str, Any] = {"asynchronous": True, "op_seconds": 1.0}
"""An asynchronous device whose every operator takes a second, of a clock that passes only when it is waited for."""


@pytest.fixture(autouse=True)
def no_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dying has its own tests, as it takes seconds."""
    monkeypatch.setattr(promises, "check_after_death", lambda subject: promises.Outcome("untested", "left out"))


def verdicts(findings: tuple[Finding, ...], but: str = "kept") -> dict[str, str]:
    return {one.subject: one.verdict for one in findings if one.verdict not in (but, "untested")}


def test_a_faithful_device_keeps_all(steady_time: WorkClock) -> None:
    with pretend.configure(**SLOW, watts=5.0):
        findings = check_promises("pretend", steady_time)
    assert verdicts(findings) == {}, findings
    assert len(findings) == len(promises.promises())
    waits = findings[0]
    assert waits.subject == "synchronize waits"
    assert "s without waiting" in waits.evidence
    assert all(one.kind == "promise" and one.hint is None for one in findings)


@pytest.mark.parametrize(
    ("knobs", "broken"),
    [
        ({"synchronize_waits": False}, {"synchronize waits"}),
        (
            {"frozen_counters": True},
            {"the memory counter follows", "the peak counter follows", "empty-cache frees"},
        ),
        ({"leak_bytes_per_call": 8 << 20}, {"the memory counter follows", "the peak counter follows"}),
        ({"empty_cache_frees": False}, {"empty-cache frees"}),
        ({"watts": 0.0}, {"the energy counter moves"}),
        ({"spoiled_copies": {"int16"}}, set(promises._COPIES.values())),
        (
            {"spoiled_copies": {"strided"}},
            {"strided copies come back", "copies within the device are right"},
        ),
        ({"spoiled_copies": {"non_blocking"}}, {"non-blocking copies come back"}),
        ({"seeds_repeat": False}, {"seeds repeat"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_each_broken_promise_is_found_and_no_other(
    steady_time: WorkClock, knobs: dict[str, Any], broken: set[str]
) -> None:
    with pretend.configure(**{"watts": 5.0, **SLOW, **knobs}):
        findings = check_promises("pretend", steady_time)
    assert {one.subject for one in findings if promises.is_broken(one)} == broken, findings
    assert all(one.hint for one in findings if promises.is_broken(one)), "what follows is said"


def test_what_a_device_does_not_offer_is_not_broken(steady_time: WorkClock) -> None:
    with pretend.configure(**SLOW, counters=False, rejected_dtypes={"float64"}):
        findings = check_promises("pretend", steady_time)
    assert verdicts(findings) == {
        "the memory counter follows": "not offered",
        "the peak counter follows": "not offered",
        "empty-cache frees": "not offered",
        "the energy counter moves": "not offered",
    }
    copies = next(one for one in findings if one.subject == "copies come back")
    assert "it has no float64" in copies.evidence


def test_a_device_that_fails_has_broken_its_promise(steady_time: WorkClock) -> None:
    with pretend.configure(**SLOW, missing={"mm"}):
        first, *_ = check_promises("pretend", steady_time)
    assert first.verdict == "broken"
    assert "NotImplementedError" in first.evidence


def test_work_that_is_too_short_tells_nothing(steady_time: WorkClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "_MOST_PRODUCTS", 2)
    backend, device = find_device("pretend")
    found = promises.check_synchronize(Subject(backend, device.id, steady_time))
    assert found.verdict == "untested"


class TestDeath:
    """Real processes, really killed."""

    def subject(self) -> Subject:
        backend, device = find_device("pretend")
        return Subject(backend, device.id)

    def test_a_device_that_survives(self) -> None:
        assert check_after_death(self.subject()).verdict == "kept"

    def test_a_device_that_is_lost(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        knobs = {"users_folder": str(tmp_path)}
        monkeypatch.setenv(pretend.KNOBS_VARIABLE, json.dumps(knobs))
        with pretend.configure(**knobs):
            found = check_after_death(self.subject())
        assert found.verdict == "broken"
        assert "the device is lost" in found.evidence

    def test_a_child_that_could_not_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(pretend.KNOBS_VARIABLE, "{}}")
        found = check_after_death(self.subject())
        assert found.verdict == "untested"
        assert "TORCHSTONE_PRETEND_KNOBS is not understood" in found.evidence


class TestCopies:
    @pytest.mark.parametrize("name", DTYPES)
    def test_contents_hold_what_is_hard(self, name: str) -> None:
        contents = fill(getattr(torch, name))
        assert contents.dtype is getattr(torch, name)
        assert contents.shape == (33, 65)
        if contents.dtype in (torch.float16, torch.bfloat16):
            assert contents.isnan().any()
        assert same_bits(contents, contents.clone())

    @pytest.mark.parametrize("kind", promises._COPIES)
    def test_the_cpu_copies_right(self, kind: str) -> None:
        found = check_copies("cpu", kind, lambda: None)
        assert (found.wrong, found.refused) == ([], [])
        assert len(found.dtypes) == len(DTYPES)

    def test_one_bit_is_seen(self) -> None:
        contents = fill(torch.float32)
        other = contents.clone()
        other.view(torch.int32)[3, 4] ^= 1
        assert not same_bits(contents, other)


def test_the_cpu_offers_no_counters_but_keeps_the_rest() -> None:
    findings = check_promises("cpu")
    assert not [one for one in findings if promises.is_broken(one)]
    assert verdicts(findings)["the memory counter follows"] == "not offered"


@pytest.mark.vulkan
def test_the_real_second_device() -> None:
    code = (
        "import json\n"
        "from torchstone.measuring.promises import check_promises\n"
        "print(json.dumps({one.subject: one.verdict for one in check_promises('vulkan')}))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert "broken" not in found.values()
    assert found["synchronize waits"] == "kept"
    assert found["a process that dies leaves it usable"] == "kept"


def test_a_counter_that_runs_backwards_is_broken(pretend_device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Backwards:
        source = "a stand-in"
        readings = iter([1.0, 2.0, *[1.5] * 20])

        def read_joules(self) -> float:
            return next(self.readings)

    backend, device = find_device("pretend")
    monkeypatch.setattr(backend, "energy_counter", lambda device_id: Backwards())
    found = promises.check_energy(Subject(backend, device.id))
    assert (found.verdict, found.evidence) == ("broken", "a stand-in: it went backwards")
    monkeypatch.setattr(backend, "energy_counter", lambda device_id: NoEnergyCounter("none here"))
    assert promises.check_energy(Subject(backend, device.id)).verdict == "not offered"
