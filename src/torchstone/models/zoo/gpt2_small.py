"""GPT-2 small, 124 million parameters: generates text with a key/value cache.

Radford et al. 2019, from transformers' `GPT2Config()`; random weights. Called plainly it reads a text;
`torchstone.models.text` has `prefill` and `decode_step`, which generate.
"""

from torch import Tensor, nn

from torchstone.data.corpus import token_ids
from torchstone.models.inputs import Inputs
from torchstone.models.text import (
    ATTENTION,
    GPT2_VOCABULARY,
    SEQUENCE_LENGTH,
    from_config,
    next_token_loss,
    random_sequences,
)
from torchstone.models.zoo import Facts

FACTS = Facts(
    item="tokens",
    items_per_example=SEQUENCE_LENGTH,
    parameters=124_439_808,
    flop=3.2e10,
    source="transformers' GPT2LMHeadModel from GPT2Config(); random weights",
    attention=ATTENTION,
)

training_loss = next_token_loss


def build(seed: int) -> nn.Module:
    return from_config("GPT2LMHeadModel", "GPT2Config", seed)


def example_inputs(batch: int, seed: int) -> Inputs:
    """The cache is left on: without it (and without a mask) transformers 5 reads a value back from the device in every
    forward, to look for packed sequences, and an accelerator would be timed waiting for that."""
    return random_sequences(batch, seed, GPT2_VOCABULARY)


def example_targets(batch: int, seed: int) -> Tensor:
    """The very ids that it reads: each is what should follow those before it."""
    return token_ids(batch, SEQUENCE_LENGTH, GPT2_VOCABULARY, seed)
