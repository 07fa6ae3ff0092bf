# rejected by: holders_are_named: Of every block that is not inactive: the first frame without /torch/
# stuck_bytes and holders take only "active_allocated" for in use; "`"inactive"` is free, any other is in use"
"""What a memory snapshot says, in numbers."""

from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    events = snapshot["device_traces"][device]
    taken, before = {}, 0
    for event in events:
        if event["action"] == "alloc":
            taken[event["addr"]] = event["size"]
        elif event["action"] == "free_completed" and taken.pop(event["addr"], None) is None:
            before += event["size"]
    for segment in snapshot["segments"]:
        if segment["device"] == device:
            for block in segment["blocks"]:
                if block["state"] != "inactive" and block["address"] not in taken:
                    before += block["size"]
    used = peak = before
    for event in events:
        if event["action"] == "alloc":
            used += event["size"]
        elif event["action"] == "free_completed":
            used -= event["size"]
        peak = max(peak, used)
    return peak


def place(frames: list[dict[str, Any]]) -> str:
    """The innermost frame that is not torch's own."""
    for frame in frames:
        if "/torch/" not in frame["filename"]:
            return f"{frame['filename']}:{frame['line']}"
    return "unknown"


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: dict[str, int] = {}
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                where = place(block["frames"])
                held[where] = held.get(where, 0) + block["requested_size"]
    return dict(sorted(held.items(), key=lambda item: -item[1]))


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        states = [block["state"] for block in segment["blocks"]]
        if segment["device"] == device and any(state == "active_allocated" for state in states):
            stuck += sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
    return stuck
