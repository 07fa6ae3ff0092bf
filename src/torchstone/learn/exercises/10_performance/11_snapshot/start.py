"""What a memory snapshot says, in numbers."""

from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    # TODO: some were in use before the recording began; and which event gives a block back?
    used = peak = 0
    for event in snapshot["device_traces"][device]:
        used += event["size"] if event["action"] == "alloc" else -event["size"]
        peak = max(peak, used)
    return peak


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    # TODO
    raise NotImplementedError("holders")


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    # TODO
    raise NotImplementedError("stuck_bytes")
