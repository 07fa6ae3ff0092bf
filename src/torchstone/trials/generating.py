"""A language model writing: the prompt read at once, then one token after another from the key/value cache.

The two are timed apart, because reading is bound by arithmetic and writing by memory bandwidth. So that every sample
does the same work, a step always goes from the same prompt: the cache is cut back before each.

What is verified: the last layer's keys and values, which depend on all layers before it, and that the token chosen is,
in float64, as good as the best (near-ties may fall either way).
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from torchstone.configurations import PLAIN, place_model, setup_of
from torchstone.correctness import Judge, error_between
from torchstone.measuring.timing import Call, status_of
from torchstone.models.text import Generation, decode_step, prefill
from torchstone.records import Measurement, Scalar, Setup
from torchstone.trials.affording import Allowance, measure_within, skipped
from torchstone.trials.subjects import Subject

STAGES = ("prefill", "decode")


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


def measure_generation(subject: Subject, device_id: str, allowance: Allowance) -> Iterator[Measurement]:
    """Seconds of reading the prompt, and of one more token."""
    setup = setup_of(PLAIN, device_id)
    prompt = subject.examples.args[0][:1]
    try:
        stages = exact_stages(subject.model, prompt)
        model = place_model(subject.model, PLAIN, device_id)
        calls = make_calls(model, prompt.to(device_id), stages["prefill"].token.to(device_id))
    except Exception as error:  # the device may lack an operator: the exception is the result
        status, reason = status_of(error)
        yield Measurement(name=name_of(subject, "prefill"), setup=setup, unit="s", status=status, reason=reason)
        return
    allowance = allowance.after_preparation()
    for position, stage in enumerate(STAGES):
        seconds = allowance.left_s / (len(STAGES) - position)
        yield _measure_stage(subject, stage, calls[stage], stages[stage], setup, seconds, prompt.shape[1])


def name_of(subject: Subject, stage: str) -> str:
    return f"inference/{subject.name}/{stage}/batch=1"


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


def _measure_stage(
    subject: Subject, stage: str, call: Call, exact: ExactStage, setup: Setup, seconds: float, length: int
) -> Measurement:
    name = name_of(subject, stage)
    if seconds <= 0:
        return skipped(name, setup, "no seconds were left: give more --budget")
    judge = StageJudge(exact, Judge(exact.keys_and_values, exact.own_error, "float32"))
    found = measure_within(call, Allowance(seconds), name=name, setup=setup, verify=judge)
    tokens = length if stage == "prefill" else 1
    facts: dict[str, Scalar] = {**subject.facts(1), "items": tokens, "item": "tokens", "prompt_tokens": length}
    return msgspec.structs.replace(found, facts={**facts, **judge.inner.facts(), **found.facts})
