"""The sentence on the fastest right way: whole roads before single steps, and every device against the CPU's best."""

import io

import pytest
from rich.console import Console
from tests.report import runs

from torchstone.records import Finding, Level, Measurement, Scalar
from torchstone.report.bench_screen import print_screen
from torchstone.report.fastest import fastest_sentences
from torchstone.report.page import make_view, render_page
from torchstone.report.sections import images
from torchstone.report.sources import Machine

ROAD = "images/jpeg to tensor/512/batch=8"
SENTENCE = (
    "Fastest right way on this CPU, JPEG to tensor, 512 px, batch 8: opencv+torch (tied with torch), 400 images/s"
)


def named(subject: str, tied: str | None = "torch", verdict: str = "ok") -> Finding:
    facts: dict[str, Scalar] = {"fastest": "opencv+torch", "device": "cpu", "rate": 400.0, "item": "images"}
    facts["tied with"] = tied
    level: Level = "ok" if verdict == "ok" else "warning"
    return Finding(
        kind="images", subject=subject, verdict=verdict, level=level, tier="measured", evidence="pairs", facts=facts
    )


def on_mps(seconds: float) -> Measurement:
    return runs.timed(ROAD, seconds, runs.ON_MPS, items=8, item="images")


def test_whole_roads_before_single_steps_and_no_more_than_asked() -> None:
    findings = [named("images/blur/512/batch=8"), named("images/pipeline/512/batch=1"), named(ROAD)]
    found = fastest_sentences(findings, [], most=2)
    assert found[0] == f"{SENTENCE}."
    assert "image pipeline, 512 px, batch 1" in found[1]
    assert len(fastest_sentences(findings, [], most=9)) == 2
    assert fastest_sentences([runs.finding("images", "none", ROAD)], [], most=2) == []


@pytest.mark.parametrize(("seconds", "times"), [(0.01, "2.00× as fast"), (0.04, "2.00× slower")])
def test_a_device_is_set_against_the_best_of_the_cpu(seconds: float, times: str) -> None:
    (found,) = fastest_sentences([named(ROAD)], [on_mps(seconds), runs.timed(ROAD, 9.0, items=8)], most=1)
    assert found == f"{SENTENCE}; mps is {times}."


def test_the_screen_and_the_section_say_it_and_the_list_of_findings_does_not() -> None:
    run = runs.make_run(named(ROAD), on_mps(0.01))
    stream = io.StringIO()
    print_screen(Console(file=stream, width=200), run, "run.jsonl")
    assert "JPEG to tensor: opencv+torch (as fast: torch), 400 images a second." in stream.getvalue()
    machine = Machine(label="mine", url="run.jsonl", run=run)
    shown = images.show(make_view([machine]))
    assert shown is not None
    assert shown.sentences[0].startswith(SENTENCE)
    assert 'id="remarks"' not in render_page([machine])


def test_what_was_not_timed_is_said() -> None:
    finding = named(ROAD, None)
    finding.facts["not timed"] = "pillow"
    assert fastest_sentences([finding], [], most=1)[0].endswith("400 images/s; not timed: pillow.")


def test_two_machines_are_told_apart() -> None:
    machines = [
        Machine(label=label, url="run.jsonl", run=runs.make_run(named(ROAD, None), on_mps(seconds)))
        for label, seconds in (("one", 0.01), ("two", 0.04))
    ]
    shown = images.show(make_view(machines))
    assert shown is not None
    said = " ".join(shown.sentences)
    assert "one: Fastest right way" in said
    assert "mps is 2.00× as fast. two: Fastest" in said
    assert "mps is 2.00× slower." in said


def test_another_quality_is_not_drawn() -> None:
    right = runs.contest(ROAD, {runs.PLAIN: 1.0, runs.changed(runs.PLAIN, engine="pillow"): 0.5}, items=8)
    other = runs.contest(f"{ROAD}/other quality", {runs.PLAIN: 0.001, runs.ON_MPS: 0.002}, items=8)
    shown = images.show(make_view([Machine(label="mine", url="run.jsonl", run=runs.make_run(*right, *other))]))
    assert shown is not None
    points = shown.figures[0].spec["data"]["values"]
    assert {point["case"] for point in points} == {ROAD}
