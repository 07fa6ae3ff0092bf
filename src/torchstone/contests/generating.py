"""A language model writing: the prompt read at once, then one token after another from the key/value cache.

The two are timed apart, because reading is bound by arithmetic and writing by memory bandwidth. So that every sample
does the same work, a step always goes from the same prompt: the cache is cut back before each.

What is verified: the last layer's keys and values, which depend on all layers before it, and that the token chosen is,
in float64, as good as the best (near-ties may fall either way).
"""

import copy
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from torchstone.contests.race import Entrant, Ready
from torchstone.correctness import Judge, error_between
from torchstone.measuring.timing import Call
from torchstone.models.placing import place_model
from torchstone.models.subject import Subject
from torchstone.models.text import Generation, decode_step, prefill
from torchstone.records import PLAIN_DTYPE, Scalar, Setup

_STAGES: "WeakKeyDictionary[Subject, dict[str, ExactStage]]" = WeakKeyDictionary()


@dataclass(frozen=True)
class ExactStage:
    """What the CPU says in float64 after one stage, and how far its own float32 is from that."""

    keys_and_values: tuple[Tensor, Tensor]
    logits: Tensor
    token: Tensor
    own_error: float


@dataclass
class StageJudge:
    """Looks at a `Generation`: are its keys and values right, and is its token a good one?"""

    exact: ExactStage
    inner: Judge

    def __call__(self, generation: Generation) -> str | None:
        wrong = self.inner(last_layer(generation.cache))
        if wrong is not None:
            return f"keys and values of the last layer: {wrong}"
        best = self.exact.logits.max(dim=-1).values
        chosen = self.exact.logits.gather(-1, generation.token.cpu()).squeeze(-1)
        gap = ((best - chosen) / self.exact.logits.abs().max()).max().item()
        if gap <= self.inner.tolerance:
            return None
        return f"chose a token whose float64 logit is lower than the best by {gap:.2g} of the largest"


def generating(subject: Subject, stage: str, setup: Setup) -> Entrant:
    """`prefill` or `decode` in that setup, before anything is built."""
    return Entrant(setup, partial(_prepare, subject, stage, setup))


def _prepare(subject: Subject, stage: str, setup: Setup) -> Ready:
    prompt = subject.examples.args[0][:1]
    if subject not in _STAGES:
        _STAGES[subject] = exact_stages(subject.model, prompt)
    stages = _STAGES[subject]
    model = place_model(subject.model, setup)
    calls = make_calls(model, prompt.to(setup.device), stages["prefill"].token.to(setup.device))
    exact = stages[stage]
    judge = StageJudge(exact, Judge(exact.keys_and_values, exact.own_error, PLAIN_DTYPE))
    length = prompt.shape[1]

    def facts() -> dict[str, Scalar]:
        tokens = length if stage == "prefill" else 1
        said: dict[str, Scalar] = {**subject.facts(1), "items": tokens, "item": "tokens", "prompt_tokens": length}
        return {**said, **judge.inner.facts()}

    return Ready(calls[stage], judge, facts)


def make_calls(model: nn.Module, prompt: Tensor, token: Tensor) -> dict[str, Call]:
    """Reading, and writing one token after the prompt and `token`; both can be repeated."""
    length = prompt.shape[1]
    kept: list[Generation] = []

    def write() -> Generation:
        if not kept:
            kept.append(prefill(model, prompt))
        cache = kept[0].cache
        extra = cache.get_seq_length() - length
        if extra > 0:
            # Only a negative number, of tokens to take away, means the same in all versions of transformers.
            cache.crop(-extra)
        return decode_step(model, Generation(token, cache))

    return {"prefill": lambda: prefill(model, prompt), "decode": write}


def exact_stages(model: nn.Module, prompt: Tensor) -> dict[str, ExactStage]:
    """Both stages in float64 on the CPU."""
    exact_model = copy.deepcopy(model).double()
    read = _exact_stage(exact_model, model, prompt)
    return {"prefill": read, "decode": _exact_stage(exact_model, model, torch.cat([prompt, read.token], dim=1))}


def last_layer(cache: Any) -> tuple[Tensor, Tensor]:
    """The newest keys and values; cloned, because the cache of a later step would overwrite them."""
    layer = cache.layers[-1]
    return layer.keys.clone(), layer.values.clone()


def _exact_stage(exact_model: nn.Module, model: nn.Module, tokens: Tensor) -> ExactStage:
    with torch.inference_mode():
        exact = exact_model(tokens, use_cache=True, logits_to_keep=1)
        plain = model(tokens, use_cache=True, logits_to_keep=1)
    kept = last_layer(exact.past_key_values)
    own_error = error_between(last_layer(plain.past_key_values), kept)
    logits = exact.logits[:, -1]
    return ExactStage(kept, logits, logits.argmax(dim=-1, keepdim=True), own_error)
