"""What a run's numbers depend on beside the device, as the `Environment` that every run file begins with."""

import platform

from torchstone import host
from torchstone.records import Environment, Fact


def describe_environment() -> Environment:
    """This machine, this Python, this torch, now."""
    import torch

    power = host.power_state()
    facts = {
        "container limit, cores": host.container_cpu_limit(),
        "load per core at start": host.load_per_core(),
        "on battery": _fact(power.on_battery, power.source),
        "low-power mode": _fact(power.low_power, power.source),
        "thermal throttling": host.thermal_throttling(),
        "under Rosetta": Fact(value=host.under_rosetta(), source="sysctl.proc_translated"),
        "torch build": Fact(value=torch.version.git_version, source="torch.version.git_version"),
    }
    return Environment(
        torch=str(torch.__version__),  # a TorchVersion, which is not quite a str
        python=platform.python_version(),
        os=host.os_name(),
        chip=host.chip_name(),
        physical_cores=host.physical_cores(),
        threads=torch.get_num_threads(),
        facts=facts,
    )


def _fact(value: bool | None, source: str) -> Fact:
    return Fact(value=value, source=source, reason="the system does not say" if value is None else None)
