# rejected by: stuck_bytes_are_right or every_other_state_is_in_use
# a block that waits for a stream does not hold its segment; "(`"inactive"` is free, any other is in use)"
"""What a memory snapshot says, in numbers."""

from collections import Counter
from typing import Any


def in_use(block: dict[str, Any]) -> bool:
    """Whether a block is held by somebody."""
    return block["state"] != "inactive"


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    events = snapshot["device_traces"][device]
    live: dict[int, int] = {}
    before = 0
    changes = []
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
            changes.append(event["size"])
        elif event["action"] == "free_completed":
            if live.pop(event["addr"], None) is None:
                before += event["size"]
            changes.append(-event["size"])
    for segment in snapshot["segments"]:
        if segment["device"] == device:
            held = [block for block in segment["blocks"] if in_use(block)]
            before += sum(block["size"] for block in held if block["address"] not in live)
    used = before
    peak = before
    for change in changes:
        used += change
        peak = max(peak, used)
    return peak


def place(frames: list[dict[str, Any]]) -> str:
    """The innermost line that is not torch's own."""
    own = (f"{frame['filename']}:{frame['line']}" for frame in frames if "/torch/" not in frame["filename"])
    return next(own, "unknown")


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if in_use(block):
                held[place(block["frames"])] += block["requested_size"]
    return dict(held.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        blocks = segment["blocks"]
        if segment["device"] == device and any(block["state"] == "active_allocated" for block in blocks):
            stuck += sum(block["size"] for block in blocks if not in_use(block))
    return stuck
