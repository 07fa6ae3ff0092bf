"""The sentence on the fastest right way: whole roads before single steps, and every device against the CPU's best."""

import io

import pytest
from rich.console import Console
from tests.report import runs

from torchstone.records import Finding, Level, Measurement, Scalar, Setup
from torchstone.report.answers import answer_run
from torchstone.report.bench_screen import print_screen
from torchstone.report.comparing import compare_runs
from torchstone.report.fastest import best_way, fastest_sentences
from torchstone.report.markdown import render_markdown
from torchstone.report.page import make_view, render_page
from torchstone.report.sections import images
from torchstone.report.sources import Machine
from torchstone.report.tiles import tiles_of

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


def test_a_case_with_two_turns_is_told_once_everywhere() -> None:
    engines = [runs.changed(runs.PLAIN, engine=name) for name in ("pillow", "opencv")]
    turns = [
        runs.contest(ROAD, dict.fromkeys(engines, seconds), rounds, items=8) for seconds, rounds in ((1, 3), (2, 9))
    ]
    older, newer = named(ROAD, None), named(ROAD, None)
    older.facts["rate"] = 851.0
    found = runs.make_run(*turns[0], older, *turns[1], newer, finished=(ROAD, ROAD))
    answers = answer_run(found)
    assert answers.use.images == "JPEG to tensor: opencv+torch, 400 images a second."
    machine = Machine(label="mine", url="run.jsonl", run=found)
    texts = [render_markdown([machine]), render_page([machine])]
    assert all("851 images" not in text and "400 images/s" in text for text in texts)
    shown = images.show(make_view([machine]))
    assert shown is not None
    assert len(shown.sentences) == 1
    assert [len(row.measurement.samples) for row in make_view([machine]).rows("images")] == [9, 9]
    assert [one.a for one in compare_runs(machine, machine).cases] == pytest.approx([2.0, 2.0], rel=0.02)


def test_a_way_that_was_tried_once_decides_nothing() -> None:
    once = runs.contest(ROAD, {runs.PLAIN: 0.1, runs.changed(runs.PLAIN, engine="pillow"): 0.05}, rounds=1)
    assert answer_run(runs.make_run(*once, named(ROAD))).use.images == ""
    assert fastest_sentences([named(ROAD)], once, most=1) == []


def test_who_could_not_be_told_from_it_is_named() -> None:
    finding = named(ROAD, None)
    finding.facts["undecided with"] = "torch, opencv"
    words = "JPEG to tensor: opencv+torch (not told from: torch, opencv), 400 images a second."
    assert answer_run(runs.make_run(finding)).use.images == words


def test_the_headline_of_images_alone_is_one_sentence_of_right_ways() -> None:
    seconds = {"opencv+torch": 0.02, "torch": 0.0201, "opencv": 0.05, "pillow": 0.1}
    rivals: dict[Setup, float] = {runs.changed(runs.PLAIN, engine=name): one for name, one in seconds.items()}
    raced = runs.contest(ROAD, {runs.PLAIN: 0.4, **rivals}, items=8, item="images")
    other = runs.contest("images/pipeline/512/batch=8/other quality", rivals, items=8, item="images")
    answers = answer_run(runs.make_run(*other, *raced, named("images/pipeline/512/batch=1"), named(ROAD)))
    assert answers.headline == (
        "From JPEG to tensor opencv+torch (as fast: torch) is the fastest right way on this CPU: 400 images a second, "
        "2.5 to 20 times as fast as opencv, pillow and kornia."
    )
    assert [tile.figure for tile in tiles_of(answers)] == ["0 broken"]
    assert answer_run(runs.make_run(*other)).headline == "No training or evaluation step was measured."
    pipeline = answer_run(runs.make_run(*raced, named("images/pipeline/512/batch=1", None)))
    assert pipeline.headline.startswith(
        "For the pipeline opencv+torch is the fastest right way on this CPU: 400 images"
    )


def test_of_several_sizes_the_largest_batch_of_the_first_road_is_told() -> None:
    small, pixels = named(ROAD.replace("=8", "=1")), named(ROAD.replace("jpeg", "pixels"))
    findings = [pixels, small, named(ROAD)]
    found = best_way(findings, [])
    assert found is findings[2]


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
