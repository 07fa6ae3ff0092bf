"""A model that may give an answer which it had kept: its rates stand under that doubt everywhere."""

import msgspec
from tests.report import runs

from torchstone.experiments.inference import COMPUTES_ELSEWHERE
from torchstone.records import Measurement, Run
from torchstone.report.answers import answer_run
from torchstone.report.bench_screen import screen_lines
from torchstone.report.comparing import compare_runs
from torchstone.report.kept import NO_WEIGHT_USED
from torchstone.report.sources import Machine
from torchstone.report.standings import contests_of

OWN = "inference/models.cache"
NARROW = runs.changed(runs.PLAIN, dtype="bfloat16", precision="cast")


def memory(reason: str) -> Measurement:
    one = runs.without(f"{OWN}/memory", "skipped", reason, runs.PLAIN)
    return msgspec.structs.replace(one, unit="bytes", quantity="peak memory")


def cached(reason: str = COMPUTES_ELSEWHERE) -> Run:
    seconds = {runs.PLAIN: 2e-6, NARROW: 1e-6}
    rivals = runs.contest(OWN, seconds, items=64, item="rows", batch=64)
    return runs.make_run(*rivals, memory(reason), devices=(runs.CPU,))


def test_the_words_are_those_of_the_experiment() -> None:
    assert COMPUTES_ELSEWHERE.startswith(NO_WEIGHT_USED)


def test_headline_broken_and_trust_say_it() -> None:
    answers = answer_run(cached())
    doubt = "a call of models.cache used no weight and may give an answer that it had kept"
    assert answers.headline.endswith(f" But {doubt}.")
    assert not answers.trust.is_trusted
    assert doubt in answers.trust.sentence
    (trouble,) = answers.broken
    assert (trouble.kind, trouble.device) == ("kept", "cpu")
    assert trouble.words.startswith("models.cache evaluation: it may give an answer that it had kept")
    assert COMPUTES_ELSEWHERE in trouble.evidence
    assert doubt in " ".join(line for _, line in screen_lines(answers, in_full=True))


def test_no_setup_of_it_is_advised() -> None:
    answers = answer_run(cached())
    assert not any(contest.is_verified for contest in contests_of(cached()))
    assert "bfloat16" not in answers.use.dtype
    assert answers.bars[0].how == ""


def test_memory_that_was_not_counted_for_another_reason_raises_no_doubt() -> None:
    answers = answer_run(cached("out of time: give more --budget"))
    assert answers.broken == ()
    assert "kept" not in answers.headline + answers.trust.sentence


def test_compare_warns_of_it() -> None:
    a, b = Machine("old", "a", cached("no time")), Machine("new", "b", cached())
    warned = "new: a call of models.cache used no weight and may give an answer that it had kept"
    assert warned in compare_runs(a, b).warnings
