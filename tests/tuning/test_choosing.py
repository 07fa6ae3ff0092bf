"""What is worth trying: predicted from what single changes did to the plain run; nothing here is timed."""

import random
from itertools import product

import pytest
import torch
from torch import nn

from torchstone.models.inputs import Inputs
from torchstone.models.placing import CHANNELS_LAST, changed
from torchstone.models.subject import own_subject
from torchstone.records import Device, Setup
from torchstone.tuning import choosing
from torchstone.tuning.choosing import NEAR, finalists, openers, openers_of_the_plain, predict, promising
from torchstone.tuning.space import Space, plain_of, whole_space

PLAIN = Setup(dtype="float32", threads=2)
ONE = changed(PLAIN, threads=1)
LAST = changed(PLAIN, memory_format=CHANNELS_LAST)
FROZEN = changed(PLAIN, engine="compile:freezing")
SPACE: Space = {
    "eager": [
        changed(PLAIN, threads=threads, memory_format=order)
        for threads, order in product((2, 1), ("contiguous", CHANNELS_LAST))
    ],
    "onnxruntime": [changed(PLAIN, engine="onnxruntime", threads=threads) for threads in (2, 1)],
    "compile": [
        changed(PLAIN, engine=engine, threads=threads, memory_format=order)
        for engine, threads, order in product(("compile:freezing", "compile"), (2, 1), ("contiguous", CHANNELS_LAST))
    ],
}
CPU = Device(id="cpu", kind="cpu", vendor="", name="", memory_bytes=None, unified_memory=None)


def test_the_plain_run_meets_single_changes_alone() -> None:
    assert openers_of_the_plain(SPACE) == [PLAIN, LAST, ONE]


def test_an_engine_begins_with_what_helped_the_plain_run() -> None:
    assert openers(SPACE, "compile", {}) == [FROZEN]
    helped = {PLAIN: 1.0, LAST: 0.7, ONE: 0.9}
    assert openers(SPACE, "compile", helped) == [changed(FROZEN, memory_format=CHANNELS_LAST, threads=1)]
    assert openers(SPACE, "onnxruntime", {PLAIN: 1.0, ONE: 1.8}) == [SPACE["onnxruntime"][0]]


def test_what_a_change_did_alone_is_expected_of_it_elsewhere() -> None:
    scores = {PLAIN: 1.0, LAST: 0.8, ONE: 1.5, FROZEN: 0.6}
    both = changed(FROZEN, memory_format=CHANNELS_LAST, threads=1)
    assert predict(both, SPACE, scores, list(scores)) == pytest.approx(0.6 * 0.8 * 1.5)


def test_a_setup_that_is_expected_to_be_slow_is_never_tried() -> None:
    scores = {PLAIN: 1.0, LAST: 1.0, ONE: 1.9, SPACE["onnxruntime"][0]: 0.5, FROZEN: 0.9}
    found = promising(SPACE, scores, list(scores))
    assert found == []
    near = {**scores, FROZEN: 0.55}
    assert {setup.threads for setup in promising(SPACE, near, list(near))} == {2}


def test_another_variant_of_an_engine_that_could_not_be_used_is_tried_but_not_the_same_again() -> None:
    scores = {PLAIN: 1.0, ONE: 1.0, LAST: 1.0}
    tried = [*scores, FROZEN, *SPACE["onnxruntime"][:1]]
    found = promising(SPACE, scores, tried)
    assert changed(PLAIN, engine="compile") in found
    assert not any(setup.engine in ("compile:freezing", "onnxruntime") for setup in found)


def test_finalists_are_few_and_near_the_best() -> None:
    scores = {changed(PLAIN, threads=number): 1.0 + 0.02 * number for number in range(1, 20)}
    found = finalists(scores)
    assert len(found) == choosing.FINALISTS
    assert all(scores[setup] <= NEAR * min(scores.values()) for setup in found)
    assert finalists({}) == []


@pytest.mark.parametrize("seed", range(20))
def test_where_changes_multiply_the_search_finds_the_best_with_few_tries(seed: int) -> None:
    """Simulated machines: each trait has a factor of its own; only the variants of one engine are nearly alike."""
    rng = random.Random(seed)
    factors = {
        trait: rng.uniform(0.6, 1.6) for setups in SPACE.values() for one in setups for trait in choosing.traits(one)
    }

    factors["engine", "compile"] = factors["engine", "compile:freezing"] * rng.uniform(0.95, 1.05)

    def run(setup: Setup) -> float:
        found = 1.0
        for trait in choosing.traits(setup):
            found *= factors[trait]
        return found

    scores = {setup: run(setup) for setup in openers_of_the_plain(SPACE)}
    for engine in ("onnxruntime", "compile"):
        scores |= {setup: run(setup) for setup in openers(SPACE, engine, scores)}
    while found := promising(SPACE, scores, list(scores)):
        scores[found[0]] = run(found[0])
    everything = [setup for setups in SPACE.values() for setup in setups]
    assert min(scores.values()) <= 1.05 * min(map(run, everything))


def test_the_space_is_the_whole_product_of_what_engines_heed() -> None:
    subject = own_subject(nn.Conv2d(3, 4, 3), Inputs((torch.ones(1, 3, 8, 8),), {}), "pictures")
    space = whole_space((CPU,), subject, train=False)
    plain = plain_of(space)
    assert space["eager"][0] == plain
    assert len(set(space["eager"])) == len(space["eager"])
    orders = {(one.memory_format, one.threads) for one in space["compile"] if one.engine == "compile:freezing"}
    threads = {plain.threads, 1}
    assert orders == set(product(("contiguous", CHANNELS_LAST), threads))


def test_training_has_its_options_and_parts_where_the_rows_allow_it() -> None:
    def options(rows: int) -> set[str]:
        subject = own_subject(nn.Linear(4, 2), Inputs((torch.ones(rows, 4),), {}), "rows")
        return {option for one in whole_space((CPU,), subject, train=True)["eager"] for option in one.options}

    assert options(4) == {"fused optimizer", "checkpointing", "accumulation×2"}
    assert options(3) == {"fused optimizer", "checkpointing"}


def test_a_device_far_behind_gets_no_other_engine_and_none_of_its_changes() -> None:
    slow = changed(PLAIN, device="slow:0")
    half = changed(slow, dtype="float16", precision="cast")
    compiled = changed(slow, engine="compile")
    space: Space = {"eager": [*SPACE["eager"], slow, half], "compile": [*SPACE["compile"], compiled]}
    assert choosing.devices_beside(space) == ["slow:0"]
    assert slow not in openers_of_the_plain(space)
    assert choosing.plain_on(space, "slow:0") == slow
    behind = {PLAIN: 1.0, slow: 140.0}
    assert choosing.explain_hopeless(compiled, space, behind) == "slow:0 takes 140 times as long as the best already"
    assert half not in promising(space, behind, list(behind))
    unraced = choosing.explain_hopeless(compiled, space, {PLAIN: 1.0})
    assert unraced == "plain torch could not be raced on slow:0"
    assert half not in promising(space, {PLAIN: 1.0}, [PLAIN, slow])
    near = {PLAIN: 1.0, slow: 0.5}
    assert choosing.explain_hopeless(compiled, space, near) is None
    assert half in promising(space, near, list(near))
