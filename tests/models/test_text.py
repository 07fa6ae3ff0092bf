"""Transformers from a config: the cache changes nothing but the speed, losses start where chance would."""

import math
from typing import Any

import torch

from torchstone.data.corpus import token_ids
from torchstone.models.inputs import Inputs
from torchstone.models.text import (
    ATTENTION,
    decode_step,
    from_config,
    generate,
    masked_loss,
    next_token_loss,
    prefill,
    random_sequences,
)
from torchstone.models.zoo import bert_base

VOCABULARY = 97


def small_gpt2(seed: int = 0) -> Any:
    return from_config("GPT2LMHeadModel", "GPT2Config", seed, n_layer=2, n_embd=32, n_head=2, vocab_size=VOCABULARY)


def test_generating_with_the_cache_equals_reading_everything_anew() -> None:
    model = small_gpt2()
    prompt = token_ids(2, 7, VOCABULARY, seed=1)
    text = prompt
    with torch.inference_mode():
        for _ in range(5):
            newest = model(text, use_cache=False).logits[:, -1:].argmax(dim=-1)
            text = torch.cat([text, newest], dim=1)
    assert torch.equal(generate(model, prompt, new_tokens=5), text[:, 7:])


def test_prefill_and_decode_are_separate_steps() -> None:
    model = small_gpt2()
    generation = prefill(model, token_ids(3, 7, VOCABULARY, seed=1))
    assert generation.token.shape == (3, 1)
    assert generation.cache.get_seq_length() == 7
    assert decode_step(model, generation).cache.get_seq_length() == 8


def test_the_attention_kernel_is_the_one_stated() -> None:
    assert small_gpt2().config._attn_implementation == ATTENTION


def test_weights_repeat_with_the_seed() -> None:
    name = "transformer.h.1.mlp.c_fc.weight"
    first, again, other = (small_gpt2(seed).state_dict()[name] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_losses_start_near_chance() -> None:
    gpt2 = small_gpt2()
    ids = random_sequences(4, seed=0, vocabulary=VOCABULARY, length=20)
    assert abs(float(next_token_loss(gpt2, ids, ids.args[0]).detach()) - math.log(VOCABULARY)) < 0.3
    changes = {"num_hidden_layers": 1, "hidden_size": 32, "num_attention_heads": 2, "vocab_size": VOCABULARY}
    bert = from_config("BertForMaskedLM", "BertConfig", 0, **changes)
    assert abs(float(masked_loss(bert, ids, ids.args[0]).detach()) - math.log(VOCABULARY)) < 0.3


def test_next_token_loss_agrees_with_transformers() -> None:
    model = small_gpt2()
    ids = token_ids(2, 9, VOCABULARY, seed=3)
    theirs = model(ids, labels=ids).loss
    torch.testing.assert_close(next_token_loss(model, Inputs((ids,), {}), ids), theirs)


def test_bert_takes_the_posts_sequence_length() -> None:
    assert bert_base.example_inputs(1, 0, length=512).args[0].shape == (1, 512)
    assert bert_base.example_targets(1, 0, length=512).shape == (1, 512)


def test_token_ids_follow_zipf() -> None:
    ids = token_ids(50, 1000, 1000, seed=0)
    counts = torch.bincount(ids.flatten(), minlength=1000).double()
    assert int(ids.min()) >= 0
    assert int(ids.max()) < 1000
    assert 1.7 < float(counts[0] / counts[1]) < 2.3
    assert 8 < float(counts[0] / counts[9]) < 12
