# rejected by: peaks_are_right: the result of peak_bytes
# only active_allocated counts as in use: a block that waits for its stream (active_pending_free) neither holds
# memory nor makes a segment stuck; breaks '"inactive" is free, any other is in use'
"""What a memory snapshot says, in numbers."""

from typing import Any


def _in_use(block: dict[str, Any]) -> bool:
    return block["state"] == "active_allocated"


def _segments(snapshot: dict[str, Any], device: int) -> list[dict[str, Any]]:
    return [segment for segment in snapshot["segments"] if segment["device"] == device]


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    used = sum(
        block["size"] for segment in _segments(snapshot, device) for block in segment["blocks"] if _in_use(block)
    )
    peak = used
    for event in reversed(snapshot["device_traces"][device]):
        if event["action"] == "alloc":
            used -= event["size"]
        elif event["action"] == "free_completed":
            used += event["size"]
        peak = max(peak, used)
    return peak


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: dict[str, int] = {}
    for segment in snapshot["segments"]:
        for block in filter(_in_use, segment["blocks"]):
            own = [frame for frame in block["frames"] if "/torch/" not in frame["filename"]]
            place = f"{own[0]['filename']}:{own[0]['line']}" if own else "unknown"
            held[place] = held.get(place, 0) + block["requested_size"]
    return {place: held[place] for place in sorted(held, key=held.__getitem__, reverse=True)}


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    return sum(
        block["size"]
        for segment in _segments(snapshot, device)
        if any(map(_in_use, segment["blocks"]))
        for block in segment["blocks"]
        if not _in_use(block)
    )
