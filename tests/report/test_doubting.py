"""What a run lacks is said: its end, second samples, waiting, a ratio that hardware can have, a status that fits."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Finding, Measurement, Run
from torchstone.report.answers import answer_run
from torchstone.report.bench_screen import screen_lines
from torchstone.report.cleaning import clean_run
from torchstone.report.markdown import render_markdown
from torchstone.report.sources import Machine

NAME = "inference/resnet50/batch=8"


def look(when: str) -> Finding:
    found = runs.finding("machine", "quiet", f"a quiet machine, {when}", "other programs kept 0.1 of 8 cores busy")
    return msgspec.structs.replace(found, level="ok")


def raced(times: float = 4.0) -> list[Measurement]:
    return runs.contest(NAME, {runs.PLAIN: 0.1, runs.ON_MPS: 0.1 / times})


@pytest.mark.parametrize(
    ("looks", "is_cut"),
    [
        (["at the start"], True),
        (["at the start", "during the run"], False),
        (["at the start", "at the start"], True),
        (["at the start", "at the start", "during the run"], False),
        ([], False),
    ],
    ids=["stopped", "ended", "stopped again", "continued to its end", "older"],
)
def test_a_run_that_did_not_end_says_so_and_how_it_goes_on(looks: list[str], is_cut: bool) -> None:
    run = runs.make_run(*raced(), *map(look, looks))
    found = answer_run(run)
    assert ("did not end" in found.trust.sentence) == is_cut
    assert ("bench --continue run-1" in found.not_done_words) == is_cut
    for shown in (render_markdown([Machine("", "", run)]), "\n".join(line for _, line in screen_lines(found))):
        assert ("the run did not end" in shown) == is_cut


def test_no_hardware_differs_by_as_much_as_that() -> None:
    assert answer_run(runs.make_run(*raced(9e4))).trust.is_trusted
    assert "no hardware differs by more than 100,000 times" in answer_run(runs.make_run(*raced(1e10))).trust.sentence


def test_times_that_nobody_waited_for_do_not_count() -> None:
    cpu, mps = raced(100)
    hurried = msgspec.structs.replace(mps, setup=runs.changed(runs.ON_MPS, sync="none"))
    found = answer_run(runs.make_run(cpu, hurried))
    assert "mps" not in found.headline
    assert "nobody waited for mps" in found.trust.sentence


def test_single_samples_are_no_ground_for_trust() -> None:
    single = [msgspec.structs.replace(one, samples=one.samples[:1], contest=None) for one in raced()]
    assert "2 of 2 times rest on a single sample" in answer_run(runs.make_run(*single)).trust.sentence
    assert "single sample" not in answer_run(runs.make_run(*raced(), single[0])).trust.sentence


def test_of_an_empty_run_nothing_is_trusted() -> None:
    found = answer_run(runs.make_run()).trust
    assert (found.is_trusted, found.sentence) == (False, "There is nothing to trust: nothing was measured.")


def test_a_status_of_ok_beside_a_verdict_of_wrong_is_wrong() -> None:
    cpu, mps = raced()
    judged = msgspec.structs.replace(mps, facts={"verdict": "wrong"})
    run: Run = clean_run(runs.make_run(cpu, judged))
    assert [one.status for one in run.measurements] == ["ok", "wrong"]
    assert "mps gives wrong answers" in answer_run(run).headline


def test_no_device_is_named_for_a_training_that_was_not_measured() -> None:
    assert answer_run(runs.make_run(*raced())).use.training_device is None
    assert answer_run(runs.cpu_run()).use.training_device == "cpu"


def test_what_failed_on_fewer_threads_is_not_taken_for_the_plain_cpu() -> None:
    one_thread = runs.changed(runs.PLAIN, threads=1)
    (found,) = answer_run(runs.make_run(*raced(), runs.without(NAME, "failed", "call 60", one_thread))).broken
    assert found.what == "evaluation (ResNet-50) on cpu, 1 thread at batch 8"
