# rejected by: late_recordings_are_understood: the result of peak_bytes is
# a block that is given back first, and whose address is taken later, does not count as there from the start; "a block
# that is taken later may get the same address"
"""What a memory snapshot says, in numbers."""

from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    events = snapshot["device_traces"][device]
    taken = {event["addr"] for event in events if event["action"] == "alloc"}
    before = 0
    for event in events:
        if event["action"] == "free_completed" and event["addr"] not in taken:
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
            if block["state"] != "inactive":
                where = place(block["frames"])
                held[where] = held.get(where, 0) + block["requested_size"]
    return dict(sorted(held.items(), key=lambda item: -item[1]))


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        states = [block["state"] for block in segment["blocks"]]
        if segment["device"] == device and any(state != "inactive" for state in states):
            stuck += sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
    return stuck
