# rejected by: late_recordings_are_understood: the result of peak
# memory that is in use at the end and was never taken while it was recorded is not counted as there from the start
"""What a memory snapshot says, in numbers: addresses are followed through the events."""

from itertools import accumulate
from typing import Any


def in_use(snapshot: dict[str, Any], device: int | None = None) -> list[dict[str, Any]]:
    """All blocks that are in use at the end, of one device or of all."""
    segments = [segment for segment in snapshot["segments"] if device is None or segment["device"] == device]
    return [block for segment in segments for block in segment["blocks"] if block["state"] != "inactive"]


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    taken: set[int] = set()
    start, changes = 0, []
    for event in snapshot["device_traces"][device]:
        match event["action"]:
            case "alloc":
                taken.add(event["addr"])
                changes.append(event["size"])
            case "free_completed":
                if event["addr"] in taken:
                    taken.remove(event["addr"])
                else:
                    start += event["size"]
                changes.append(-event["size"])
    return max(accumulate(changes, initial=start))


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    pairs: dict[str, int] = {}
    for block in in_use(snapshot):
        own = (frame for frame in block.get("frames", ()) if frame["filename"].find("/torch/") < 0)
        frame = next(own, None)
        key = "unknown" if frame is None else "{filename}:{line}".format_map(frame)
        pairs[key] = pairs.get(key, 0) + block["requested_size"]
    return {key: pairs[key] for key in sorted(pairs, key=pairs.__getitem__, reverse=True)}


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    total = 0
    for segment in snapshot["segments"]:
        if segment["device"] != device:
            continue
        used = sum(block["size"] for block in segment["blocks"] if block["state"] != "inactive")
        total += segment["total_size"] - used if used else 0
    return total
