"""Which dtypes a device really computes in: tried, not assumed.

A dtype counts only if filling, adding and multiplying matrices gives the right numbers back. A device that quietly
sends a dtype to the CPU, rejects it, or gives garbage is told apart.
"""

import warnings
from typing import TYPE_CHECKING

import msgspec

from torchstone.backends import IN_TREE, import_package_of
from torchstone.errors import first_line_of
from torchstone.processes import ForkServer, Limits, run_spawned
from torchstone.records import Device, Fact

if TYPE_CHECKING:
    from torch import Tensor

DTYPES = (
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "complex64",
    "complex128",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)
_SOURCE = "probed: filled, added, multiplied, read back"
_SIDE = 4
"""A matrix of ones of this side times itself holds the side everywhere: exact in every dtype."""
_LIMITS = Limits(seconds=120.0)
NARROW = ("bfloat16", "float16")
_LAYERS_SOURCE = "probed: a linear layer and a convolution, in a process of its own"


def probe_dtypes(device_id: str) -> dict[str, Fact]:
    """For each dtype: `computes`, `falls back to the CPU`, or None with the reason."""
    if device_id.split(":")[0] in IN_TREE:
        return probe_dtypes_here(device_id)
    # An out-of-tree device may abort the process on a dtype that it does not know.
    outcome = run_spawned(lambda: probe_dtypes_here(device_id), _LIMITS, returns=dict[str, Fact])
    if outcome.ended == "returned":
        facts: dict[str, Fact] = outcome.value
        return facts
    outcome.raise_user_error()
    reason = f"the probe {outcome.ended}: {outcome.detail.strip().splitlines()[-1]}"
    return {name: Fact(value=None, source=_SOURCE, reason=reason) for name in DTYPES}


def computes_in(device: Device, dtype: str) -> bool:
    """Whether the device is known to compute in the dtype; what was not probed is taken to do so."""
    fact = device.facts.get(fact_name(dtype))
    return fact is None or fact.value == "computes"


def fact_name(dtype: str) -> str:
    """Under which a device's facts say whether it computes in a dtype."""
    return f"computes in {dtype}"


def with_narrow_dtypes(device: Device, server: ForkServer | None = None) -> Device:
    """The device with what is known of its narrow dtypes: tried once, in a process of its own.

    A virtual machine may announce an instruction that it does not grant, and oneDNN then ends the process (SIGILL).
    """
    facts = {fact_name(dtype): _try_layers(device.id, dtype, server) for dtype in NARROW}
    return msgspec.structs.replace(device, facts={**device.facts, **facts})


def _try_layers(device_id: str, dtype: str, server: ForkServer | None) -> Fact:
    def compute() -> str | None:
        return _compute_layers(device_id, dtype)

    outcome = server.run(compute, _LIMITS) if server is not None else run_spawned(compute, _LIMITS)
    if outcome.ended == "returned" and outcome.value is None:
        return Fact(value="computes", source=_LAYERS_SOURCE)
    reason = outcome.value if outcome.ended == "returned" else outcome.detail.strip().splitlines()[-1]
    return Fact(value=None, source=_LAYERS_SOURCE, reason=str(reason))


def _compute_layers(device_id: str, name: str) -> str | None:
    """What came out wrong of a linear layer and a convolution, large enough for a fast kernel; or None."""
    import torch
    from torch.nn import functional

    import_package_of(device_id)
    dtype = getattr(torch, name)
    ones = torch.ones(64, 256, dtype=dtype, device=device_id)
    product = functional.linear(ones, torch.ones(256, 256, dtype=dtype, device=device_id)).float().cpu()
    image = torch.ones(1, 32, 16, 16, dtype=dtype, device=device_id)
    filtered = functional.conv2d(image, torch.ones(32, 32, 1, 1, dtype=dtype, device=device_id)).float().cpu()
    wrong = [
        text
        for text, found, right in (("linear", product, 256), ("conv2d", filtered, 32))
        if not (found == right).all()
    ]
    return f"{wrong[0]} of ones gave something else" if wrong else None


def probe_dtypes_here(device_id: str) -> dict[str, Fact]:
    """The same, in this process."""
    import torch

    import_package_of(device_id)
    before = torch.is_warn_always_enabled()
    # Otherwise torch warns of a fall-back once in a process, and every later dtype would look as if it computed.
    torch.set_warn_always(True)
    try:
        return {name: _probe(device_id, name) for name in DTYPES}
    finally:
        torch.set_warn_always(before)


def _probe(device_id: str, name: str) -> Fact:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            wrong = _compute(device_id, name)
        except Exception as error:  # the exception is the result: this dtype is refused
            return Fact(value=None, source=_SOURCE, reason=first_line_of(error))
    if wrong is not None:
        return Fact(value=None, source=_SOURCE, reason=wrong)
    if any("fall" in str(warning.message).lower() and "cpu" in str(warning.message).lower() for warning in caught):
        return Fact(value="falls back to the CPU", source=_SOURCE)
    return Fact(value="computes", source=_SOURCE)


def _compute(device_id: str, name: str) -> str | None:
    """What came out wrong, or None."""
    import torch

    dtype = getattr(torch, name)
    ones = torch.ones(_SIDE, _SIDE, dtype=dtype, device=device_id)
    doubled = (ones + ones).cpu()
    if not bool((doubled == (1 if dtype is torch.bool else 2)).all()):
        return f"1 + 1 gave {doubled[0, 0].item()}"
    product = _multiply(ones, ones)
    if product is not None and not bool((product.cpu() == _SIDE).all()):
        return f"a product of ones gave {product[0, 0].item()}"
    return None


def _multiply(a: "Tensor", b: "Tensor") -> "Tensor | None":
    """Matrix product; integers have none on CUDA, where that is no failing of the dtype."""
    if a.is_floating_point() or a.is_complex():
        return a @ b
    return None
