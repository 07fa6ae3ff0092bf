"""A language model reading and writing, each as entrants of a contest."""

import pytest
from tests.turns import make_plan, make_turn, measurements

import torchstone.pretend as pretend
from torchstone.contests.generating import StageJudge, exact_stages
from torchstone.correctness import Judge
from torchstone.experiments import inference
from torchstone.models.subject import Subject
from torchstone.models.text import Generation, from_config, prefill, random_sequences
from torchstone.records import Measurement

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def writer() -> Subject:
    """A GPT-2 small enough for a test."""
    pretend.install()
    shape = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64, "vocab_size": 50}
    model = from_config("GPT2LMHeadModel", "GPT2Config", 0, bos_token_id=0, eos_token_id=0, **shape)
    return Subject("tiny_gpt", "zoo", model, random_sequences(2, 0, 50, 12), "tokens", 12)


def generate(writer: Subject, *devices: str) -> list[Measurement]:
    return measurements(inference.run_generation(make_plan(*devices), "n", writer, make_turn(8.0)))


def test_reading_and_writing_are_timed_apart(writer: Subject) -> None:
    read, write = generate(writer)
    assert (read.name, write.name) == ("inference/tiny_gpt/prefill/batch=1", "inference/tiny_gpt/decode/batch=1")
    assert (read.status, write.status) == ("ok", "ok")
    assert (read.facts["items"], write.facts["items"]) == (12, 1)
    assert write.facts["error"] is not None


def test_wrong_keys_and_values_are_wrong(writer: Subject) -> None:
    with pretend.configure(wrong=frozenset({"addmm"})):
        found = [one for one in generate(writer, "pretend") if one.setup.device != "cpu"]
    assert [one.status for one in found] == ["wrong", "wrong"]
    assert "keys and values" in (found[0].reason or "")


def test_a_device_that_cannot_generate_says_so(writer: Subject) -> None:
    with pretend.configure(missing=frozenset({"addmm"})):
        found = generate(writer, "pretend")
    assert {one.status for one in found if one.setup.device != "cpu"} == {"unsupported"}


def test_a_bad_token_is_wrong_and_the_best_one_is_not(writer: Subject) -> None:
    prompt = writer.examples.args[0][:1]
    exact = exact_stages(writer.model, prompt)["prefill"]
    judge = StageJudge(exact, Judge(exact.keys_and_values, exact.own_error, "float32"))
    generation = prefill(writer.model, prompt)
    assert judge(generation) is None
    worst = exact.logits.argmin(dim=-1, keepdim=True)
    assert "chose a token" in (judge(Generation(worst, generation.cache)) or "")
