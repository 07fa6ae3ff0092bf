"""Batches at which a device gave no right answer in its plain setup, though it may have at others: who is told to use
the device has to hear of them in the same breath."""

from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.records import Measurement, Run
from torchstone.report.names import Work, batch_of, call_of, differences
from torchstone.report.speedups import own_dtype

KINDS = {"wrong": "wrong", "failed": "fails", "out_of_memory": "out of memory"}
MOST_NAMED = 2


@dataclass(frozen=True)
class Hole:
    """One batch of a model's step that a device has no number for, and why."""

    device: str
    model: str
    stage: str
    batch: int | None
    kind: str
    """wrong, fails or out of memory."""

    @property
    def words(self) -> str:
        """`ResNet-50 training at batch 16`."""
        return f"{self.model} {self.stage}" + (f" at batch {self.batch}" if self.batch is not None else "")


def holes_of(run: Run) -> list[Hole]:
    """Of every device, each batch once: that an answer is wrong says more than that there was none."""
    found: dict[tuple[str, str, str, int | None], Hole] = {}
    for one, call in _calls(run.measurements):
        kind = KINDS.get(one.status)
        if kind is None:
            continue
        hole = Hole(one.setup.device, call.model_words, call.stage, batch_of(one), kind)
        key = (hole.device, hole.model, hole.stage, hole.batch)
        if key not in found or kind == KINDS["wrong"]:
            found[key] = hole
    return list(found.values())


def _calls(measurements: Sequence[Measurement]) -> list[tuple[Measurement, Work]]:
    """The steps of models in the plain setup of the dtype that each came in."""
    calls = [(one, call) for one in measurements if (call := call_of(one.name)) is not None]
    setups: dict[str, list[Measurement]] = {}
    for one, call in calls:
        setups.setdefault(call.model, []).append(one)
    own = {model: own_dtype(one.setup for one in group) for model, group in setups.items()}
    return [(one, call) for one, call in calls if not differences(one.setup, own[call.model])]


def fault_words(holes: Sequence[Hole], device: str) -> str:
    """`gives wrong answers in VGG-16 training at batch 16, and fails in ViT-B evaluation`; empty without a fault."""
    verbs = {"wrong": "gives wrong answers in", "fails": "fails in"}
    own = [one for one in holes if one.device == device]
    parts = []
    for kind, verb in verbs.items():
        named = [one.words for one in own if one.kind == kind]
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        parts += [f"{verb} {', '.join(named[:MOST_NAMED])}{more}"] if named else []
    return ", and ".join(parts)
