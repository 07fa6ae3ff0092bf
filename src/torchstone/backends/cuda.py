"""NVIDIA (CUDA) and AMD (ROCm): torch calls both `cuda`; `torch.version.hip` tells them apart."""

from typing import Any

from torchstone import host
from torchstone.backends import EnergyCounter, MemoryReading, NoEnergyCounter, Reading, absent
from torchstone.records import Device, Fact, Finding

_MILLIJOULES = 1e-3
_MICROJOULES = 1e-6


def _is_rocm() -> bool:
    import torch

    return torch.version.hip is not None


def find_devices() -> tuple[Device, ...]:
    import torch

    if not torch.cuda.is_available():
        return ()
    return tuple(_device(index) for index in range(torch.cuda.device_count()))


def _device(index: int) -> Device:
    import torch

    properties = torch.cuda.get_device_properties(index)
    rocm = _is_rocm()
    facts = {
        "driver": _driver(rocm),
        "toolkit": Fact(value=torch.version.hip if rocm else torch.version.cuda, source="torch.version"),
        "multiprocessors": Fact(value=properties.multi_processor_count, source="torch.cuda.get_device_properties"),
        "architecture": Fact(
            value=properties.gcnArchName if rocm else f"{properties.major}.{properties.minor}",
            source="torch.cuda.get_device_properties",
        ),
        "system": Fact(value=host.os_name(), source="platform"),
    }
    return Device(
        id=f"cuda:{index}",
        kind="rocm" if rocm else "cuda",
        vendor="AMD" if rocm else "NVIDIA",
        name=properties.name,
        memory_bytes=properties.total_memory,
        unified_memory=bool(properties.is_integrated),
        facts=facts,
    )


def _driver(rocm: bool) -> Fact:
    if rocm:
        text = host.read_text(host.ROOT / "sys/module/amdgpu/version")
        return Fact(
            value=text,
            source="/sys/module/amdgpu/version",
            reason=None if text else "the amdgpu module comes with the kernel and names no version",
        )
    text = host.run_tool("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    first = text.splitlines()[0].strip() if text else None
    return Fact(value=first, source="nvidia-smi", reason=None if first else "nvidia-smi is not on the path")


def explain_absence() -> Finding | None:
    import torch

    if torch.cuda.is_available():
        return None
    cards = [vendor for vendor in host.graphics_cards() if vendor in ("NVIDIA", "AMD")]
    built = torch.version.cuda is not None or _is_rocm()
    name = "rocm" if _is_rocm() else "cuda"
    if not cards:
        why = "no NVIDIA or AMD card is seen on this machine"
        return absent(name, why, "nothing to do, unless there is one: then install its driver")
    if not built:
        return absent(
            name,
            f"there is a card by {' and '.join(cards)}, but this torch ({torch.__version__}) is built for the CPU only",
            "install a build of torch for that card: the selector on pytorch.org names the pip command",
        )
    return absent(
        name,
        f"torch {torch.__version__} is built for it, but cannot reach the card by {' and '.join(cards)}",
        "check the driver (nvidia-smi or rocm-smi), CUDA_VISIBLE_DEVICES, and that the container was given the card",
    )


def synchronize(device_id: str) -> None:
    import torch

    torch.cuda.synchronize(device_id)


def read_memory(device_id: str) -> MemoryReading:
    import torch

    return MemoryReading(
        current=Reading(torch.cuda.memory_allocated(device_id)),
        driver=Reading(torch.cuda.memory_reserved(device_id)),
        peak=Reading(torch.cuda.max_memory_allocated(device_id)),
    )


def reset_peak_memory(device_id: str) -> None:
    import torch

    torch.cuda.reset_peak_memory_stats(device_id)


def empty_cache(device_id: str) -> None:
    import torch

    torch.cuda.empty_cache()


def energy_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    return _amd_counter(device_id) if _is_rocm() else _nvidia_counter(device_id)


def _nvidia_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    import torch

    try:
        import pynvml
    except ImportError:
        return NoEnergyCounter("nvidia-ml-py is not installed: pip install 'torchstone[energy]'")
    # By UUID, not by index: NVML counts every card, torch only those that CUDA_VISIBLE_DEVICES leaves.
    uuid = torch.cuda.get_device_properties(device_id).uuid
    try:
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
    except pynvml.NVMLError as error:
        return NoEnergyCounter(f"NVML cannot count the energy of this card: {error}")
    return NvmlCounter(pynvml, handle)


class NvmlCounter:
    """The whole board's energy since the driver was loaded; cards from Volta on have it."""

    source = "NVML total energy counter (whole board)"

    def __init__(self, nvml: object, handle: object) -> None:
        self._nvml = nvml
        self._handle = handle

    def read_joules(self) -> float:
        millijoules = self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle)  # type: ignore[attr-defined]
        return float(millijoules) * _MILLIJOULES


def _amd_counter(device_id: str) -> EnergyCounter | NoEnergyCounter:
    import torch

    try:
        import amdsmi
    except (ImportError, KeyError, OSError) as error:  # its wrapper looks for ROCm's library on import
        return NoEnergyCounter(f"amdsmi cannot be imported ({error}): pip install 'torchstone[energy]'")
    properties: Any = torch.cuda.get_device_properties(device_id)  # torch's stub lacks the PCI fields
    address = f"{properties.pci_domain_id:04x}:{properties.pci_bus_id:02x}:{properties.pci_device_id:02x}.0"
    try:
        amdsmi.amdsmi_init()
        handle = amdsmi.amdsmi_get_processor_handle_from_bdf(address)
        amdsmi.amdsmi_get_energy_count(handle)
    except amdsmi.AmdSmiException as error:
        return NoEnergyCounter(f"AMD SMI cannot count the energy of this card: {error}")
    return AmdSmiCounter(amdsmi, handle)


class AmdSmiCounter:
    """The card's energy accumulator, in its own resolution of microjoules."""

    source = "AMD SMI energy accumulator (whole card)"

    def __init__(self, smi: object, handle: object) -> None:
        self._smi = smi
        self._handle = handle

    def read_joules(self) -> float:
        count = self._smi.amdsmi_get_energy_count(self._handle)  # type: ignore[attr-defined]
        return float(count["energy_accumulator"]) * float(count["counter_resolution"]) * _MICROJOULES
