# rejected by: late_recordings_are_understood: the result of peak_bytes
# forgets blocks that were there before the recording and are still there at the end; breaks 'or is in use at the
# end without that, was there from the start', a snapshot without events and with one block in use
"""What a memory snapshot says, in numbers."""

from collections import Counter
from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    taken: dict[int, int] = {}
    from_the_start = 0
    changes = []
    for event in snapshot["device_traces"][device]:
        if event["action"] == "alloc":
            taken[event["addr"]] = event["size"]
            changes.append(event["size"])
        elif event["action"] == "free_completed":
            if taken.pop(event["addr"], None) is None:
                from_the_start += event["size"]
            changes.append(-event["size"])
    used = peak = from_the_start
    for change in changes:
        used += change
        peak = max(peak, used)
    return peak


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] == "inactive":
                continue
            place = "unknown"
            for frame in block["frames"]:
                if "/torch/" not in frame["filename"]:
                    place = "{filename}:{line}".format(**frame)
                    break
            held[place] += block["requested_size"]
    return dict(held.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        if segment["device"] != device:
            continue
        free = sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
        if free < segment["total_size"]:
            stuck += free
    return stuck
