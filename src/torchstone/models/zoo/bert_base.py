"""BERT-base, 110 million parameters: a masked language model.

Devlin et al. 2018 (arXiv:1810.04805), from transformers' `BertConfig()` as TorchBench had it for PyTorch's post of May
2022; random weights.
"""

from torch import Tensor, nn

from torchstone.data.corpus import token_ids
from torchstone.models.inputs import Inputs
from torchstone.models.text import (
    ATTENTION,
    BERT_VOCABULARY,
    SEQUENCE_LENGTH,
    from_config,
    masked_loss,
    random_sequences,
)
from torchstone.models.zoo import Facts

FACTS = Facts(
    item="sequences",
    parameters=109_514_298,
    flop=2.8e10,
    source="transformers' BertForMaskedLM from BertConfig(); random weights",
    attention=ATTENTION,
)

training_loss = masked_loss


def build(seed: int) -> nn.Module:
    return from_config("BertForMaskedLM", "BertConfig", seed)


def example_inputs(batch: int, seed: int, length: int = SEQUENCE_LENGTH) -> Inputs:
    """`length` is POST_2022_SEQUENCE_LENGTH for that post's protocol."""
    return random_sequences(batch, seed, BERT_VOCABULARY, length)


def example_targets(batch: int, seed: int, length: int = SEQUENCE_LENGTH) -> Tensor:
    # Not the inputs' own seed: a model that learns to copy its input would be another task.
    return token_ids(batch, length, BERT_VOCABULARY, seed + 1)
