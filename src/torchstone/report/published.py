"""Public results to set a run beside: few, each with its source and with what it was measured under.

Others' figures are no contest: another day, another torch, another protocol. So they stand beside a run only where
model, stage and batch are the same, and what else is known to differ is said with each.
"""

from dataclasses import dataclass

from torchstone.report.names import EVALUATION, TRAINING

BERT_SOURCE = "https://github.com/lucadiliello/pytorch-apple-silicon-benchmarks"
BERT_CONDITIONS = "bert-base-cased, 128 tokens, float32, 100 steps, PyTorch nightly of 2022"
POST_SOURCE = "https://pytorch.org/blog/introducing-accelerated-pytorch-training-on-mac/"
POST_CONDITIONS = "PyTorch 1.12 prerelease, April 2022, as the press told the graph; not waited for, perhaps overstated"
STEPS = 100


@dataclass(frozen=True)
class Published:
    """One figure that somebody published."""

    model: str
    stage: str
    batch: int
    machine: str
    conditions: str
    source: str
    rate: float | None = None
    """Items a second."""
    times: str | None = None
    """How many times as fast as its CPU, in the source's own precision."""


def _bert(stage: str, batch: int, machine: str, seconds: float) -> Published:
    return Published("BERT base", stage, batch, machine, BERT_CONDITIONS, BERT_SOURCE, rate=batch * STEPS / seconds)


def _post(model: str, stage: str, batch: int, times: str) -> Published:
    machine = "M1 Ultra (20-core CPU, 64-core GPU)"
    return Published(model, stage, batch, machine, POST_CONDITIONS, POST_SOURCE, times=times)


PUBLISHED = (
    _bert(TRAINING, 16, "M1 Max CPU", 149),
    _bert(TRAINING, 16, "M1 Max GPU", 63),
    _bert(TRAINING, 16, "V100", 12),
    _bert(TRAINING, 64, "M1 Max CPU", 512),
    _bert(TRAINING, 64, "M1 Max GPU", 177),
    _bert(TRAINING, 64, "V100", 41),
    _bert(EVALUATION, 16, "M1 Max CPU", 52),
    _bert(EVALUATION, 16, "M1 Max GPU", 16),
    _bert(EVALUATION, 16, "V100", 4),
    _bert(EVALUATION, 64, "M1 Max CPU", 182),
    _bert(EVALUATION, 64, "M1 Max GPU", 50),
    _bert(EVALUATION, 64, "V100", 13),
    *(
        _post(model, stage, batch, times)
        for model, batch in (("ResNet-50", 128), ("BERT base", 64), ("VGG-16", 64))
        for stage, times in ((TRAINING, "about 7×, all three models together"), (EVALUATION, "up to about 20×"))
    ),
)
"""Steps of 100 in whole seconds, as the source gives them."""
