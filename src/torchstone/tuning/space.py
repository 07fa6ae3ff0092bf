"""The whole space: devices × engines and their variants × dtypes × memory formats × threads; for training its options.

It is built from the engines' own files, so that adding an engine adds its setups: what an engine names itself, varied
by all that it heeds. An exhaustive search walks through all of it; `choosing` says which of it is worth the seconds.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from torchstone import engines
from torchstone.correctness import own_dtype
from torchstone.machine.dtypes import NARROW, computes_in
from torchstone.models.placing import CHANNELS_LAST, TF32, changed, plain_setup
from torchstone.models.subject import EXAMPLES, Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup
from torchstone.training.step import ACCUMULATED, CHECKPOINTING, FUSED, IN_TREE

CHEAP = "eager"
Space = dict[str, list[Setup]]
"""By the engine that prepares them, what it names itself first; the plain run on the CPU is the first of all."""


def whole_space(devices: Sequence[Device], subject: Subject, train: bool) -> Space:
    """Everything that there is to try."""
    dtype = own_dtype(subject.model, subject.examples)
    found: Space = {CHEAP: [plain_setup(devices[0], dtype)]}
    for device in devices:
        plain = plain_setup(device, dtype)
        setups = _learning(device, subject, plain) if train else _answering(device, subject, plain)
        for setup in dict.fromkeys((plain, *setups)):
            group = found.setdefault(base_of(setup), [])
            if setup not in group:
                group.append(setup)
    return found


def plain_of(space: Space) -> Setup:
    """The plain run on the CPU, which everything is compared with."""
    return space[CHEAP][0]


def base_of(setup: Setup) -> str:
    """The engine's file, whichever variant of it."""
    return setup.engine.partition(":")[0]


def _answering(device: Device, subject: Subject, plain: Setup) -> Iterator[Setup]:
    named = engines.setups_worth_trying(device, subject, plain)
    yield from named
    for setup in (plain, *named):
        heeded = getattr(engines.load_engine(setup.engine), "HEEDS", ())
        yield from _varied(setup, plain, _choices(device, subject, plain, heeded))


def _choices(
    device: Device, subject: Subject, plain: Setup, heeded: Sequence[str]
) -> dict[str, list[dict[str, object]]]:
    """Beside what a setup has: the values that each thing an engine heeds can take here."""
    found: dict[str, list[dict[str, object]]] = {}
    if "memory_format" in heeded and subject.is_for_images:
        found["memory_format"] = [{"memory_format": CHANNELS_LAST}]
    if "precision" in heeded and plain.dtype == PLAIN_DTYPE:
        worthwhile = NARROW[:1] if device.kind == "cpu" else NARROW
        narrow = [dtype for dtype in worthwhile if computes_in(device, dtype)]
        found["precision"] = [{"dtype": dtype, "precision": how} for dtype in narrow for how in ("cast", "autocast")]
        found["precision"] += [{"precision": TF32}] if device.kind == "cuda" else []
    if "threads" in heeded and device.kind == "cpu" and (plain.threads or 1) > 1:
        found["threads"] = [{"threads": 1}]
    return found


def _varied(setup: Setup, plain: Setup, choices: dict[str, list[dict[str, object]]]) -> Iterator[Setup]:
    """Every combination; what the setup has settled by itself stays as it is."""
    free = [values for field, values in choices.items() if getattr(setup, field) == getattr(plain, field)]
    for picked in product(*([{}, *values] for values in free)):
        yield changed(setup, **{name: value for one in picked for name, value in one.items()})


def _learning(device: Device, subject: Subject, plain: Setup) -> Iterator[Setup]:
    """What a person would try: one kernel for the optimizer, another order, mixed precision, less memory, compiled."""
    narrow = [dtype for dtype in NARROW if computes_in(device, dtype) and (device.kind, dtype) != ("cpu", "float16")]
    precisions = [{"dtype": narrow[0], "precision": "autocast"}] if plain.dtype == PLAIN_DTYPE and narrow else []
    formats = [{"memory_format": CHANNELS_LAST}] if subject.is_for_images else []
    is_here = "compile" in engines.engine_names() and engines.load_engine("compile").explain_absence() is None
    compiled = [{"engine": "compile"}] if is_here else []
    for engine, precision, order in product([{}, *compiled], [{}, *precisions], [{}, *formats]):
        for options in _learning_options(device, subject):
            if not (engine and CHECKPOINTING in options):
                yield changed(plain, **engine, **precision, **order, options=options)


def _learning_options(device: Device, subject: Subject) -> list[tuple[str, ...]]:
    optimizers = [(), (FUSED,)] if device.kind in IN_TREE else [()]
    saving = [(), (CHECKPOINTING,), *([(f"{ACCUMULATED}2",)] if subject.rows(EXAMPLES) % 2 == 0 else [])]
    return [tuple(sorted((*fused, *less))) for fused in optimizers for less in saving]


def without_parts(setup: Setup) -> Setup:
    """The setup with its rows taken at once."""
    return changed(setup, options=tuple(one for one in setup.options if not one.startswith(ACCUMULATED)))


def simplicity(setup: Setup) -> int:
    """How much a person has to change for it: of tied winners the simplest comes first."""
    plain = Setup()
    other_engine = base_of(setup) not in (plain.engine, "compile")
    return (
        4 * other_engine
        + 2 * (setup.engine != plain.engine)
        + (setup.precision != plain.precision)
        + (setup.memory_format != plain.memory_format)
        + len(setup.options)
        + (setup.device != plain.device)
    )
