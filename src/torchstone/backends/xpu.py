"""Intel's GPUs (XPU)."""

from torchstone import host
from torchstone.backends import EnergyCounter, MemoryReading, NoEnergyCounter, Reading, absent
from torchstone.records import Device, Fact, Finding


def find_devices() -> tuple[Device, ...]:
    import torch

    if not torch.xpu.is_available():
        return ()
    return tuple(_device(index) for index in range(torch.xpu.device_count()))


def _device(index: int) -> Device:
    import torch

    properties = torch.xpu.get_device_properties(index)
    source = "torch.xpu.get_device_properties"
    return Device(
        id=f"xpu:{index}",
        kind="xpu",
        vendor="Intel",
        name=properties.name,
        memory_bytes=properties.total_memory,
        unified_memory=_is_integrated(properties),
        facts={
            "driver": Fact(value=properties.driver_version, source=source),
            "platform": Fact(value=properties.platform_name, source=source),
            "execution units": Fact(value=properties.gpu_eu_count, source=source),
            "system": Fact(value=host.os_name(), source="platform"),
        },
    )


def _is_integrated(properties: object) -> bool | None:
    """Builds from 2.13 on say so; older ones do not, and then nothing tells."""
    value = getattr(properties, "is_integrated_gpu", None)
    return None if value is None else bool(value)


def explain_absence() -> Finding | None:
    import torch

    if torch.xpu.is_available():
        return None
    if "Intel" not in host.graphics_cards():
        return absent("xpu", "no Intel graphics card is seen on this machine", "nothing to do")
    if not torch.xpu._is_compiled():
        return absent(
            "xpu",
            f"there is Intel graphics, but this torch ({torch.__version__}) is built without XPU",
            "Arc and newer graphics work with torch's XPU build: the selector on pytorch.org names the pip command",
        )
    return absent("xpu", "torch is built for XPU, but finds no usable GPU", "check Intel's GPU driver and Level Zero")


def synchronize(device_id: str) -> None:
    import torch

    torch.xpu.synchronize(device_id)


def read_memory(device_id: str) -> MemoryReading:
    import torch

    return MemoryReading(
        current=Reading(torch.xpu.memory_allocated(device_id)),
        driver=Reading(torch.xpu.memory_reserved(device_id)),
        peak=Reading(torch.xpu.max_memory_allocated(device_id)),
    )


def reset_peak_memory(device_id: str) -> None:
    import torch

    torch.xpu.reset_peak_memory_stats(device_id)


def empty_cache(device_id: str) -> None:
    import torch

    torch.xpu.empty_cache()


def energy_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    return NoEnergyCounter("torch offers an XPU's momentary power but no energy counter, so nothing is integrated")
