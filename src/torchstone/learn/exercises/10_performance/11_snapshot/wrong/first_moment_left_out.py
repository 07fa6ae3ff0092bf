# rejected by: late_recordings_are_understood: the result of peak_bytes
# the moment before the first event does not count: 'the moment before the first event included'
"""What a memory snapshot says, in numbers."""

from collections import defaultdict
from typing import Any


def _in_use(block: dict[str, Any]) -> bool:
    return block["state"] != "inactive"


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    taken: dict[int, int] = {}
    used, most = 0, None  # relative to what was there from the start
    before = 0
    for event in snapshot["device_traces"][device]:
        if event["action"] == "alloc":
            taken[event["addr"]] = event["size"]
            used += event["size"]
        elif event["action"] == "free_completed":
            if taken.pop(event["addr"], None) is None:
                before += event["size"]
            used -= event["size"]
        most = used if most is None else max(most, used)
    for segment in snapshot["segments"]:
        if segment["device"] == device:
            for block in segment["blocks"]:
                if _in_use(block) and block["address"] not in taken:
                    before += block["size"]
    return before + (most or 0)


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    sizes: dict[str, int] = defaultdict(int)
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if _in_use(block):
                place = "unknown"
                for frame in block["frames"]:
                    if "/torch/" not in frame["filename"]:
                        place = f"{frame['filename']}:{frame['line']}"
                        break
                sizes[place] += block["requested_size"]
    return dict(sorted(sizes.items(), key=lambda item: item[1], reverse=True))


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        if segment["device"] == device and any(_in_use(block) for block in segment["blocks"]):
            stuck += sum(block["size"] for block in segment["blocks"] if not _in_use(block))
    return stuck
