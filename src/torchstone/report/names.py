"""Names for people: what a record's name says, as a person would say it. The one table of names."""

import re
from dataclasses import dataclass
from functools import lru_cache

from torchstone.records import AS_IT_IS, PLAIN_DTYPE, Measurement, Setup

MODELS = {
    "alexnet": "AlexNet",
    "bert_base": "BERT base",
    "convnet": "small ConvNet",
    "efficientnet_lite0": "EfficientNet-Lite0",
    "gpt2_small": "GPT-2 small",
    "jpeg to tensor": "JPEG to tensor",
    "pipeline": "image pipeline",
    "resnet50": "ResNet-50",
    "transformer": "small Transformer",
    "vgg16": "VGG-16",
    "vit_b": "ViT-B",
}
PARTS = {
    "full": "full fine-tuning",
    "probe": "linear probe",
    "Server": "under load",
    "SingleStream": "one query at a time",
    "Offline": "all queries at once",
}
TRAINING, EVALUATION = "training", "evaluation"
_STAGES = {"train": TRAINING, "evaluate": EVALUATION, "prefill": "reading a prompt", "decode": "writing"}
_TRADE_MARKS = re.compile(r"\((?:R|TM|C)\)|[®™]", re.IGNORECASE)
SAME_CALL = ("latency", "latency=hot", "latency=paced", "latency=sustained", "engines", "crossover")
"""Parts of a name which say what a case is for; the call that it makes is the same."""
_SIDE = re.compile(r"(?:side=)?(\d{2,5})")
_BATCH = re.compile(r"batch=(\d{1,9})")


@dataclass(frozen=True)
class Work:
    """What a record's name says: `training/resnet50/train/batch=8`."""

    experiment: str
    model: str
    stage: str
    """`training`, `evaluation`, or what else is done with the model; empty where the name says nothing of it."""
    batch: int | None = None
    special: tuple[str, ...] = ()
    """What else the name says, such as `memory` or `other quality`."""

    @property
    def model_words(self) -> str:
        return model_words(self.model)

    @property
    def words(self) -> str:
        """`ResNet-50 training, batch 8`."""
        stage = f" {self.stage}" if self.stage else ""
        batch = f", batch {self.batch}" if self.batch is not None else ""
        special = "".join(f", {_part_words(part)}" for part in self.special)
        return f"{self.model_words}{stage}{special}{batch}"


def _part_words(part: str) -> str:
    """`512` and `side=96` are pixels."""
    side = _SIDE.fullmatch(part)
    return f"{side[1]} px" if side else PARTS.get(part, part)


@lru_cache(maxsize=1 << 16)
def work_of(name: str) -> Work:
    """A name taken apart; one that keeps to no rule is its own model."""
    experiment, *rest = [part for part in name.split("/") if part.strip()] or ["unnamed"]
    model, *parts = rest or [experiment]
    batches = [int(found[1]) for part in parts if (found := _BATCH.fullmatch(part))]
    stages = [_STAGES[part] for part in parts if part in _STAGES]
    special = tuple(part for part in parts if not _BATCH.fullmatch(part) and part not in _STAGES)
    default = EVALUATION if experiment == "inference" and not special else ""
    return Work(experiment, model, stages[0] if stages else default, batches[0] if batches else None, special)


def batch_of(one: Measurement) -> int | None:
    """That of its name; a person's own model brings its own, which stands in the facts."""
    batch = work_of(one.name).batch
    own = one.facts.get("batch")
    is_known = batch is None and isinstance(own, int) and not isinstance(own, bool) and own > 0
    return own if is_known and isinstance(own, int) else batch


def call_of(name: str) -> Work | None:
    """The step of a model that a case makes, whatever it asks of it, as other cases may make it; None for all else."""
    work = work_of(name)
    if work.experiment not in ("inference", "training") or any(part not in SAME_CALL for part in work.special):
        return None
    stage = work.stage or EVALUATION
    return Work("inference" if stage == EVALUATION else work.experiment, work.model, stage, work.batch)


def model_words(model: str) -> str:
    """The model's name as its authors write it; of a path the last part."""
    return MODELS.get(model, model.replace("\\", "/").rpartition("/")[2] or model)


def chip_words(chip: str) -> str:
    """Without the marks of a trade: `Intel Xeon Processor`."""
    return " ".join(_TRADE_MARKS.sub(" ", chip).split()) or "unknown chip"


def describe_setup(setup: Setup) -> str:
    """A setup in few words: only what differs from the plain one."""
    words = [setup.device, *differences(setup)]
    if setup.threads is not None and setup.device == "cpu":
        words.append(f"{setup.threads} thread{'s' if setup.threads != 1 else ''}")
    return ", ".join(words)


def differences(setup: Setup, plain_dtype: str = PLAIN_DTYPE) -> list[str]:
    """What a person would have to change of the plain setup, threads apart."""
    words = []
    if (setup.dtype or PLAIN_DTYPE) != plain_dtype or setup.precision not in (AS_IT_IS, "cast"):
        words.append(dtype_words(setup))
    if setup.engine != "eager":
        words.append(setup.engine)
    if setup.memory_format != "contiguous":
        words.append(setup.memory_format)
    return [*words, *setup.options]


def dtype_words(setup: Setup) -> str:
    dtype = setup.dtype or PLAIN_DTYPE
    return dtype if setup.precision in (AS_IT_IS, "cast") else f"{dtype} {setup.precision}"


def is_unverified(one: Measurement) -> bool:
    """Whether it was timed without its answers being known to be right."""
    return one.status == "ok" and bool(one.facts.get("unverified"))


def is_plain(setup: Setup) -> bool:
    """Eager float32 in torch's own order of memory."""
    return not differences(setup)
