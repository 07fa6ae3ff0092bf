# rejected by: falls_back_to_the_cpu: What torch was built for need not be here
# 'the CPU where there is none': the accelerator that this torch was built for, whether there is one or not
import torch


def pick_device(wanted: str | None = None) -> torch.device:
    accelerator = torch.accelerator.current_accelerator()
    kinds = ["cpu"]
    if accelerator is not None:
        kinds.insert(0, accelerator.type)
    if wanted is None:
        return torch.device(kinds[0])
    name, colon, index = wanted.partition(":")
    if name in kinds and (not colon or index.isdigit()):
        limit = 1 if name == "cpu" else max(1, torch.accelerator.device_count())
        if not colon or int(index) < limit:
            return torch.device(wanted)
    raise ValueError(f"no device {wanted!r} here; there are {' and '.join(kinds)}")
