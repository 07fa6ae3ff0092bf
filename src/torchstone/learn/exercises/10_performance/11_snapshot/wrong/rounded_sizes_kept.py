# rejected by: holders_are_named: These are the rounded sizes, not what was
# holders adds up the rounded sizes of the blocks, not the requested bytes
"""What a memory snapshot says, in numbers."""

from collections import Counter
from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    used = sum(
        block["size"]
        for segment in snapshot["segments"]
        if segment["device"] == device
        for block in segment["blocks"]
        if block["state"] != "inactive"
    )
    peak = used
    for event in reversed(snapshot["device_traces"][device]):
        if event["action"] == "alloc":
            used -= event["size"]
        elif event["action"] == "free_completed":
            used += event["size"]
        peak = max(peak, used)
    return peak


def place(frames: list[dict[str, Any]]) -> str:
    """The innermost line that is not torch's own."""
    for frame in frames:
        if "/torch/" not in frame["filename"]:
            return f"{frame['filename']}:{frame['line']}"
    return "unknown"


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    sizes: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                sizes[place(block.get("frames") or [])] += block["size"]
    return dict(sizes.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        free = sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
        if segment["device"] == device and any(block["state"] != "inactive" for block in segment["blocks"]):
            stuck += free
    return stuck
