# rejected by: peaks_are_right or late_recordings_are_understood
# "only `"free_completed"` gives it back": a block is given back when that is asked for
"""What a memory snapshot says, in numbers."""

from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    taken: dict[int, int] = {}
    used = 0
    for event in snapshot["device_traces"][device]:
        if event["action"] == "alloc":
            taken[event["addr"]] = event["size"]
        elif event["action"] == "free_requested" and taken.pop(event["addr"], None) is None:
            used += event["size"]
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if segment["device"] == device and block["state"] != "inactive" and block["address"] not in taken:
                used += block["size"]
    peak = used
    for event in snapshot["device_traces"][device]:
        if event["action"] == "alloc":
            used += event["size"]
        elif event["action"] == "free_requested":
            used -= event["size"]
        peak = max(peak, used)
    return peak


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: dict[str, int] = {}
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                own = [frame for frame in block["frames"] if "/torch/" not in frame["filename"]]
                place = f"{own[0]['filename']}:{own[0]['line']}" if own else "unknown"
                held[place] = held.get(place, 0) + block["requested_size"]
    return dict(sorted(held.items(), key=lambda item: item[1], reverse=True))


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        free = sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
        if segment["device"] == device and free < segment["total_size"]:
            stuck += free
    return stuck
