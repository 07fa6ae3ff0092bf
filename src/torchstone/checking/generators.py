"""Random generators as on the device that is asked for: torch makes none for a device that is not here.

Every accelerator refuses a generator of another device, and `torch.Generator()` without a device is the host's.
"""

from typing import Any

import torch

from torchstone.checking import phantom
from torchstone.checking.host import RefusedError

MIXED = "Expected a '{}' device type for generator but found '{}'"
"""As torch says it (check_generator in ATen/core/Generator.h)."""
HINT = "make the generator where the numbers are drawn: torch.Generator(device=x.device)"
_Generator: Any = torch.Generator


class _AnyGenerator(type(_Generator)):  # type: ignore[misc]
    """torch's own generators are instances too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _Generator)


class MeantGenerator(_Generator, metaclass=_AnyGenerator):  # type: ignore[misc]
    """One of the host, which knows what device it is meant for."""

    meant: torch.device

    def __new__(cls, device: Any = "cpu") -> "MeantGenerator":
        made: MeantGenerator = _Generator.__new__(cls)
        made.meant = torch.device(device)
        return made

    @property
    def device(self) -> torch.device:
        return self.meant


def install() -> None:
    """Have `torch.Generator` make generators for any device; for good: in a process of its own."""
    torch.Generator = MeantGenerator  # type: ignore[misc]


def refuse_mixed(subject: str, leaves: list[Any], device: str) -> None:
    """Raise where a call draws on one device with the generator of another, as torch does."""
    found = next((one for one in leaves if isinstance(one, _Generator)), None)
    if found is None:
        return
    here, has = _drawn_on(leaves, device), found.device.type
    if here != has:
        raise RefusedError(subject, MIXED.format(here, has), HINT)


def without_generator(leaf: Any) -> Any:
    """Numbers without values are drawn from none."""
    return None if isinstance(leaf, _Generator) else leaf


def _drawn_on(leaves: list[Any], device: str) -> str:
    """The kind of device: the one that the call names, or that of its tensors."""
    kinds = [
        one.type if isinstance(one, torch.device) else one for one in leaves if isinstance(one, (torch.device, str))
    ]
    tensors = [one.device.type for one in leaves if isinstance(one, torch.Tensor)]
    on_phantom = phantom.NAME in kinds or (phantom.NAME in tensors and "cpu" not in kinds)
    return device if on_phantom else "cpu"
