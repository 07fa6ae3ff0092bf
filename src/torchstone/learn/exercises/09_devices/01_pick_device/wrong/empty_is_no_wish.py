# rejected by: refuses_what_is_not_here: Whoever asks for a device and silently gets
# the wish "" is taken for no wish, and gets a device and no ValueError
"""Choose a device: look the wish up in a list of all the devices that are here."""

import torch


def names_here() -> dict[str, torch.device]:
    """Each word that may be asked for, and the device that it means; the best one comes last."""
    names = {"cpu": torch.device("cpu"), "cpu:0": torch.device("cpu", 0)}
    if torch.accelerator.is_available():
        kind = torch.accelerator.current_accelerator().type
        for index in range(torch.accelerator.device_count()):
            names[f"{kind}:{index}"] = torch.device(kind, index)
        if f"{kind}:0" in names:
            names[kind] = torch.device(kind)
    return names


def pick_device(wanted: str | None = None) -> torch.device:
    """The device that is wanted, or this machine's accelerator, or the CPU; ValueError for what is not here."""
    names = names_here()
    kinds = sorted({device.type for device in names.values()})
    if not wanted:
        others = [kind for kind in kinds if kind != "cpu"]
        return names[others[0] if others else "cpu"]
    found = names.get(wanted)
    if found is None:
        message = "asked for %r, but this machine has only %s" % (wanted, " and ".join(kinds))
        raise ValueError(message)
    return found
