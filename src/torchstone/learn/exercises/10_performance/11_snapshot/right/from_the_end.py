# earns: solved
# walks the trace backwards from what is in use at the end
"""What a memory snapshot says, in numbers."""

from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    used = sum(
        block["size"]
        for segment in snapshot["segments"]
        for block in segment["blocks"]
        if segment["device"] == device and block["state"] != "inactive"
    )
    peak = used
    change = {"alloc": -1, "free_completed": 1}
    for event in reversed(snapshot["device_traces"][device]):
        used += change.get(event["action"], 0) * event["size"]
        peak = max(peak, used)
    return peak


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: dict[str, int] = {}
    blocks = (block for segment in snapshot["segments"] for block in segment["blocks"])
    for block in blocks:
        if block["state"] == "inactive":
            continue
        places = (f"{f['filename']}:{f['line']}" for f in block["frames"] if "/torch/" not in f["filename"])
        place = next(places, "unknown")
        held[place] = held.setdefault(place, 0) + block["requested_size"]
    return {place: held[place] for place in sorted(held, key=held.__getitem__, reverse=True)}


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        free = sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
        if segment["device"] == device and free < segment["total_size"]:
            stuck += free
    return stuck
