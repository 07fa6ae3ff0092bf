# earns: solved
# the wish is taken apart as text before torch sees it
"""Choose a device: the wish, or the best one here, or an honest refusal."""

import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if wanted is None:
        return torch.device("cpu") if accelerator is None else torch.device(accelerator.type)
    available = ["cpu"] if accelerator is None else ["cpu", accelerator.type]
    kind, colon, number = wanted.partition(":")
    fine = kind in available
    if fine and colon:
        many = 1 if kind == "cpu" else torch.accelerator.device_count()
        fine = number.isascii() and number.isdigit() and str(int(number)) == number and int(number) < many
    if not fine:
        message = "asked for device '{}', but this machine has only: {}"
        raise ValueError(message.format(wanted, " and ".join(available)))
    return torch.device(wanted)
