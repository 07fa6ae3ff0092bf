"""Facts of machines that were made up: each is a folder that stands for the root of a file system."""

import os
import platform
import sys
from pathlib import Path

import pytest

from torchstone import host
from torchstone.host import PowerState
from torchstone.records import Fact

linux_rules = pytest.mark.skipif(sys.platform == "darwin", reason="macOS is asked through its tools, not its files")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n")


class TestContainerLimit:
    @pytest.mark.parametrize(
        ("text", "limit"),
        [("150000 100000", 1.5), ("50000 100000", 0.5), ("max 100000", None), ("max", None), ("", None), ("x y", None)],
    )
    def test_version_2(self, root: Path, text: str, limit: float | None) -> None:
        put(root, "sys/fs/cgroup/cpu.max", text)
        fact = host.container_cpu_limit(root)
        assert fact.value == limit
        assert fact.source == "/sys/fs/cgroup/cpu.max"
        assert (fact.reason is None) == (limit is not None)

    @pytest.mark.parametrize(
        ("quota", "period", "limit"), [("200000", "100000", 2.0), ("-1", "100000", None), ("5", "0", None)]
    )
    def test_version_1(self, root: Path, quota: str, period: str, limit: float | None) -> None:
        put(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota)
        put(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", period)
        assert host.container_cpu_limit(root).value == limit

    def test_no_control_groups(self, root: Path) -> None:
        assert host.container_cpu_limit(root) == Fact(
            value=None, source="control groups", reason="no CPU limit is set for this process"
        )


@linux_rules
class TestPower:
    def supply(self, root: Path, name: str, **files: str) -> None:
        for file, text in files.items():
            put(root, f"sys/class/power_supply/{name}/{file}", text)

    def test_a_machine_that_says_nothing(self, root: Path) -> None:
        state = host.power_state(root)
        assert (state.on_battery, state.low_power) == (None, None)

    @pytest.mark.parametrize(("online", "on_battery"), [("1", False), ("0", True)])
    def test_mains(self, root: Path, online: str, on_battery: bool) -> None:
        self.supply(root, "AC", type="Mains", online=online)
        self.supply(root, "BAT0", type="Battery", status="Discharging")
        assert host.power_state(root).on_battery is on_battery

    def test_one_of_two_mains_is_enough(self, root: Path) -> None:
        self.supply(root, "AC", type="Mains", online="0")
        self.supply(root, "ADP1", type="Mains", online="1")
        assert host.power_state(root).on_battery is False

    @pytest.mark.parametrize(
        ("status", "on_battery"), [("Discharging", True), ("Charging", False), ("Not charging", False), ("Full", False)]
    )
    def test_a_battery_without_mains(self, root: Path, status: str, on_battery: bool) -> None:
        self.supply(root, "BAT0", type="Battery", status=status)
        self.supply(root, "ucsi0", type="USB", online="1")
        assert host.power_state(root).on_battery is on_battery

    def test_a_mouse_is_no_laptop(self, root: Path) -> None:
        self.supply(root, "hid-mouse", type="Battery", status="Discharging", scope="Device")
        assert host.power_state(root).on_battery is None

    @pytest.mark.parametrize(
        ("profile", "governor", "driver", "low_power"),
        [
            ("low-power", "performance", "acpi-cpufreq", True),
            ("balanced", "schedutil", "acpi-cpufreq", False),
            (None, "powersave", "acpi-cpufreq", True),
            (None, "powersave", "intel_pstate", False),
            (None, "powersave", "amd-pstate-epp", False),
            (None, "performance", "intel_pstate", False),
            ("performance", None, None, False),
            (None, None, None, None),
        ],
    )
    def test_low_power(
        self, root: Path, profile: str | None, governor: str | None, driver: str | None, low_power: bool | None
    ) -> None:
        files = {
            "sys/firmware/acpi/platform_profile": profile,
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": governor,
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver": driver,
        }
        for path, text in files.items():
            if text is not None:
                put(root, path, text)
        assert host.power_state(root).low_power is low_power


SETTINGS = """System-wide power settings:
Currently in use:
 standby              1
 {mode}
 hibernatemode        3
"""
ON_BATTERY = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t93%; discharging; 9:28 remaining\n"
ON_MAINS = "Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining present: true\n"


@pytest.mark.parametrize(
    ("settings", "battery", "on_battery", "low_power"),
    [
        (SETTINGS.format(mode="lowpowermode         1"), ON_BATTERY, True, True),
        (SETTINGS.format(mode="lowpowermode         0"), ON_MAINS, False, False),
        (SETTINGS.format(mode="powermode            1"), ON_MAINS, False, True),
        (SETTINGS.format(mode="powermode            2"), ON_MAINS, False, False),
        (SETTINGS.format(mode="sleep                1"), ON_MAINS, False, None),
        ("", "", None, None),
    ],
)
def test_pmset(settings: str, battery: str, on_battery: bool | None, low_power: bool | None) -> None:
    assert host.power_state_from_pmset(settings, battery) == PowerState(on_battery, low_power, "pmset -g")


class TestThrottling:
    @linux_rules
    def test_counts_are_summed(self, root: Path) -> None:
        for number, count in enumerate(("3", "4", "junk")):
            put(root, f"sys/devices/system/cpu/cpu{number}/thermal_throttle/core_throttle_count", count)
        assert host.thermal_throttling(root).value == 7

    @linux_rules
    def test_none_with_its_reason(self, root: Path) -> None:
        fact = host.thermal_throttling(root)
        assert fact.value is None
        assert "no throttle counter" in str(fact.reason)

    @pytest.mark.parametrize(
        ("text", "value"), [("CPU_Speed_Limit \t= 100", False), ("CPU_Speed_Limit = 64", True), ("", None)]
    )
    def test_macos(self, monkeypatch: pytest.MonkeyPatch, text: str, value: bool | None) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        monkeypatch.setattr(host, "run_tool", lambda *command: text)
        assert host.thermal_throttling().value is value


class TestGraphicsCards:
    def card(self, root: Path, slot: str, vendor: str, kind: str) -> None:
        put(root, f"sys/bus/pci/devices/{slot}/vendor", vendor)
        put(root, f"sys/bus/pci/devices/{slot}/class", kind)

    def test_none(self, root: Path) -> None:
        assert host.graphics_cards(root) == ()

    def test_by_pci_vendor_and_class(self, root: Path) -> None:
        self.card(root, "0000:00:02.0", "0x8086", "0x030000")  # VGA
        self.card(root, "0000:01:00.0", "0x10de", "0x030200")  # 3D controller
        self.card(root, "0000:02:00.0", "0x1002", "0x120000")  # accelerator
        self.card(root, "0000:00:1f.0", "0x8086", "0x060100")  # an ISA bridge
        self.card(root, "0000:03:00.0", "0x1af4", "0x030000")  # virtio, no maker that torch knows
        assert host.graphics_cards(root) == ("AMD", "Intel", "NVIDIA")

    def test_a_bridge_is_no_card(self, root: Path) -> None:
        self.card(root, "0000:00:1f.0", "0x8086", "0x060100")
        assert host.graphics_cards(root) == ()

    @pytest.mark.parametrize(("path", "vendor"), [("proc/driver/nvidia/version", "NVIDIA"), ("dev/kfd", "AMD")])
    def test_by_the_drivers_files(self, root: Path, path: str, vendor: str) -> None:
        put(root, path, "1")
        assert host.graphics_cards(root) == (vendor,)


class TestChip:
    @linux_rules
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("processor\t: 0\nmodel\t\t: 85\nmodel name\t: AMD EPYC 9654\n", "AMD EPYC 9654"),
            ("processor : 0\nHardware\t: BCM2711\n", "BCM2711"),
            ("processor : 0\n\nModel : Raspberry Pi 5\n", "Raspberry Pi 5"),
        ],
    )
    def test_name(self, root: Path, text: str, name: str) -> None:
        put(root, "proc/cpuinfo", text)
        assert host.chip_name(root) == name

    @linux_rules
    def test_a_chip_without_a_name(self, root: Path) -> None:
        assert host.chip_name(root) in (platform.processor(), platform.machine())

    @pytest.mark.parametrize(
        ("chip", "vendor"),
        [
            ("Intel(R) Xeon(R) Processor", "Intel"),
            ("AMD EPYC 9654", "AMD"),
            ("Apple M1 Ultra", "Apple"),
            ("Ampere Altra", "Ampere"),
            ("aarch64", "unknown"),
        ],
    )
    def test_vendor(self, chip: str, vendor: str) -> None:
        assert host.chip_vendor(chip) == vendor

    def test_on_macos(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        monkeypatch.setattr(host, "run_tool", lambda *command: "Apple M4 Max\n")
        assert host.chip_name() == "Apple M4 Max"


@pytest.mark.parametrize(("answer", "translated"), [("1\n", True), ("0\n", False), (None, False)])
def test_rosetta(monkeypatch: pytest.MonkeyPatch, answer: str | None, translated: bool) -> None:
    monkeypatch.setattr(host, "run_tool", lambda *command: answer)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert host.under_rosetta() is translated
    monkeypatch.setattr(sys, "platform", "linux")
    assert host.under_rosetta() is False


class TestTools:
    @pytest.fixture
    def tool(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        path = tmp_path / "some-tool"
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        return path

    @pytest.mark.parametrize(
        ("script", "answer"),
        [
            ("echo hello $1", "hello you\n"),
            ("exit 1", None),
            (r"printf '\377 caf\303\251'", "\ufffd café"),
        ],
    )
    def test_what_it_prints(self, tool: Path, script: str, answer: str | None) -> None:
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        assert host.run_tool("some-tool", "you") == answer

    def test_one_that_never_ends(self, tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(host, "_TOOL_SECONDS", 0.2)
        tool.write_text("#!/bin/sh\nexec sleep 1000\n")
        tool.chmod(0o755)
        assert host.run_tool("some-tool") is None

    def test_one_that_is_not_there(self) -> None:
        assert host.run_tool("no-such-tool-here") is None

    def test_one_that_is_no_program(self, tool: Path) -> None:
        tool.write_bytes(b"\x00\x01")
        tool.chmod(0o755)
        assert host.run_tool("some-tool") is None


class TestThisMachine:
    def test_it_has_a_name_and_cores(self) -> None:
        assert host.os_name()
        assert host.chip_name()
        assert host.usable_cores() >= 1
        assert host.physical_cores() is None or host.physical_cores() >= 1  # type: ignore[operator]
        assert host.process_memory_bytes() > 1 << 20

    def test_its_load(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "getloadavg", lambda: (3.0, 2.0, 1.0))
        monkeypatch.setattr(host, "usable_cores", lambda: 2)
        assert host.load_per_core().value == 1.5

    def test_no_load_average(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "getloadavg")
        assert host.load_per_core().value is None
        assert host.load_per_core().reason

    def test_it_can_be_looked_at_whole(self) -> None:
        assert isinstance(host.power_state(), PowerState)
        assert isinstance(host.thermal_throttling(), Fact)
        assert isinstance(host.container_cpu_limit(), Fact)
        assert isinstance(host.graphics_cards(), tuple)

    def test_a_missing_file_has_no_text(self, tmp_path: Path) -> None:
        assert host.read_text(tmp_path / "none") is None
        assert host.read_text(tmp_path) is None
