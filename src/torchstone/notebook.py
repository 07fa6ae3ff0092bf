"""`torchstone.devices()` for a notebook or a prompt: the devices as a tuple that shows itself as a table."""

from html import escape

from torchstone.backends import find_device, find_devices
from torchstone.records import Device
from torchstone.report.terminal import format_bytes


class Devices(tuple[Device, ...]):
    """A tuple of devices with a readable form."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(f"{one.id}: {one.vendor} {one.name}, {format_bytes(one.memory_bytes)}" for one in self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(one.id)}</td><td>{escape(one.vendor)}</td><td>{escape(one.name)}</td>"
            f"<td>{format_bytes(one.memory_bytes)}</td></tr>"
            for one in self
        )
        head = "<tr><th>device</th><th>vendor</th><th>name</th><th>memory</th></tr>"
        return f"<table>{head}{rows}</table>"


def devices(device: str | None = None) -> Devices:
    """The devices of this machine; `device` brings in an out-of-tree one by name, such as `vulkan`."""
    if device is not None:
        find_device(device)
    return Devices(find_devices())
