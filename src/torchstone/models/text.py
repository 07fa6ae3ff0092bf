"""Transformers from a config: random weights from a seed, nothing downloaded, the attention kernel stated.

`sdpa` (PyTorch's own scaled_dot_product_attention) is asked for explicitly: transformers' choice depends on its
version and on which packages are installed, and a benchmark must not.
"""

from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.data.corpus import token_ids
from torchstone.data.seeding import seeded
from torchstone.extras import import_extra
from torchstone.models.inputs import Inputs

ATTENTION = "sdpa"
BERT_VOCABULARY = 30_522
GPT2_VOCABULARY = 50_257
SEQUENCE_LENGTH = 128
POST_2022_SEQUENCE_LENGTH = 512
"""TorchBench's BERT at the time of PyTorch's post of May 2022."""


def from_config(model_class: str, config_class: str, seed: int, **changes: Any) -> nn.Module:
    """A model of transformers by the names of its two classes, with the config's fields that differ from its defaults.

    In evaluation mode, as transformers' own `from_pretrained` gives it.
    """
    transformers = import_extra("transformers")
    config = getattr(transformers, config_class)(**changes)
    with seeded(seed):
        model = getattr(transformers, model_class)._from_config(config, attn_implementation=ATTENTION)
    return cast(nn.Module, model.eval())


def random_sequences(batch: int, seed: int, vocabulary: int, length: int = SEQUENCE_LENGTH) -> Inputs:
    """Token ids as the only argument; no attention mask, so that nothing is padding."""
    return Inputs((token_ids(batch, length, vocabulary, seed),), {})


def masked_loss(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """Cross entropy at every position, as TorchBench trains BERT: which are masked does not change the work."""
    logits: Tensor = model(*inputs.args, **inputs.kwargs).logits
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def next_token_loss(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """Cross entropy of each token given those before it; `targets` are the input ids themselves."""
    logits: Tensor = model(*inputs.args, **inputs.kwargs).logits
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten())


class Generation(NamedTuple):
    """Where a generation stands: the newest token of each row, and the keys and values of all before it."""

    token: Tensor
    cache: Any


def prefill(model: nn.Module, prompt: Tensor) -> Generation:
    """Read the whole prompt at once (bound by arithmetic) and choose the first new token of each row."""
    transformers = import_extra("transformers")
    cache = transformers.DynamicCache(config=model.config)
    return _step(model, prompt, cache)


def decode_step(model: nn.Module, generation: Generation) -> Generation:
    """One more token of each row (bound by memory bandwidth). The cache grows in place: `generation` is used up."""
    return _step(model, generation.token, generation.cache)


def generate(model: nn.Module, prompt: Tensor, new_tokens: int) -> Tensor:
    """The `new_tokens` most likely ids after the prompt, greedily: always the same answer, so devices can be compared.

    Near-ties may still fall differently on another device or in another dtype.
    """
    generation = prefill(model, prompt)
    tokens = [generation.token]
    for _ in range(new_tokens - 1):
        generation = decode_step(model, generation)
        tokens.append(generation.token)
    return torch.cat(tokens, dim=1)


def _step(model: nn.Module, tokens: Tensor, cache: Any) -> Generation:
    with torch.inference_mode():
        # Only the last position's logits: those of a long prompt would need more memory than the model.
        output = model(tokens, past_key_values=cache, use_cache=True, logits_to_keep=1)
        return Generation(output.logits[:, -1:].argmax(dim=-1), output.past_key_values)
