"""Which setups there are to try: devices × engines × dtypes × memory formats × threads, and batch sizes.

They come from the engines' own files, so that adding an engine adds its setups. Setups that cost nothing to prepare are
tried in one contest; those of each other engine in one of its own, with the plain run in it.
"""

from collections.abc import Sequence

from torchstone import engines
from torchstone.correctness import own_dtype
from torchstone.machine.dtypes import computes_in
from torchstone.models.placing import CHANNELS_LAST, changed, plain_setup
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup
from torchstone.training.step import CHECKPOINTING, FUSED

CHEAP = "eager"
MOST_BATCH_DOUBLINGS = 7


def setups_by_engine(devices: Sequence[Device], subject: Subject, train: bool) -> dict[str, list[Setup]]:
    """By the engine that prepares them; the plain run on the CPU is the first of all."""
    dtype = own_dtype(subject.model, subject.examples)
    found: dict[str, list[Setup]] = {CHEAP: [plain_setup(devices[0], dtype)]}
    for device in devices:
        plain = plain_setup(device, dtype)
        tried = _training_setups(device, subject, plain) if train else _answering_setups(device, subject, plain)
        for setup in (plain, *tried):
            group = found.setdefault(setup.engine.partition(":")[0], [])
            if setup not in group:
                group.append(setup)
    return found


def _answering_setups(device: Device, subject: Subject, plain: Setup) -> list[Setup]:
    tried = list(engines.setups_worth_trying(device, subject, plain))
    if device.kind == "cpu" and (plain.threads or 1) > 1:
        one_thread = [changed(setup, threads=1) for setup in tried if setup.engine in ("onnxruntime", "openvino")]
        tried += one_thread
        tried += [changed(plain, memory_format=CHANNELS_LAST, threads=1)] if subject.is_for_images else []
    return tried


def _training_setups(device: Device, subject: Subject, plain: Setup) -> list[Setup]:
    """What a person would try: one kernel for the optimizer, another order, mixed precision, less memory, compiled."""
    fused = changed(plain, options=(FUSED,))
    found = [fused]
    if subject.is_for_images:
        found += [changed(plain, memory_format=CHANNELS_LAST), changed(fused, memory_format=CHANNELS_LAST)]
    narrow = [dtype for dtype in ("bfloat16", "float16") if computes_in(device, dtype)]
    if plain.dtype == PLAIN_DTYPE and narrow and (device.kind, narrow[0]) != ("cpu", "float16"):
        found += [changed(setup, dtype=narrow[0], precision="autocast") for setup in (plain, fused)]
    found.append(changed(plain, options=(CHECKPOINTING,)))
    if engines.load_engine("compile").explain_absence() is None:
        found.append(changed(fused, engine="compile"))
    return found


def simplicity(setup: Setup) -> int:
    """How much a person has to change for it: of tied winners the simplest comes first."""
    plain = Setup()
    other_engine = setup.engine.partition(":")[0] not in (plain.engine, "compile")
    return (
        4 * other_engine
        + 2 * (setup.engine != plain.engine)
        + (setup.precision != plain.precision)
        + (setup.memory_format != plain.memory_format)
        + len(setup.options)
        + (setup.device != plain.device)
    )
