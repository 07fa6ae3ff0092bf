# earns: solved
def in_use(snapshot, device):
    return sum(
        b["size"]
        for s in snapshot["segments"]
        if s["device"] == device
        for b in s["blocks"]
        if b["state"] != "inactive"
    )


def peak_bytes(snapshot, device):
    # from what is in use at the end, backwards in time
    now = most = in_use(snapshot, device)
    for event in reversed(snapshot["device_traces"][device]):
        if event["action"] == "alloc":
            now -= event["size"]
        if event["action"] == "free_completed":
            now += event["size"]
        most = max(most, now)
    return most


def holders(snapshot):
    totals = {}
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] == "inactive":
                continue
            place = "unknown"
            for frame in block["frames"]:
                if "/torch/" not in frame["filename"]:
                    place = "{filename}:{line}".format(**frame)
                    break
            totals.setdefault(place, 0)
            totals[place] += block["requested_size"]
    return {k: totals[k] for k in sorted(totals, key=totals.get, reverse=True)}


def stuck_bytes(snapshot, device):
    total = 0
    for segment in snapshot["segments"]:
        if segment["device"] != device:
            continue
        states = [b["state"] for b in segment["blocks"]]
        if all(s == "inactive" for s in states):
            continue
        total += sum(b["size"] for b in segment["blocks"] if b["state"] == "inactive")
    return total
