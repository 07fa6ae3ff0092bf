"""The screen after `bench`: what was measured, what is faster, what went wrong, and where to go on."""

import io

from rich.console import Console

from torchstone.records import Device, Environment, Finding, Measurement, Run, Scalar, Setup
from torchstone.report.bench_screen import print_screen


def shown(*records: Measurement | Finding) -> str:
    environment = Environment(torch="2.13", python="3.11", os="Linux", chip="chip", physical_cores=2, threads=2)
    device = Device(id="cpu", kind="cpu", vendor="Maker", name="[odd] chip", memory_bytes=1, unified_memory=True)
    run = Run(id="x", started="now", command="bench", environment=environment, devices=(device,), records=records)
    stream = io.StringIO()
    print_screen(Console(file=stream, width=140), run, "runs/[x].jsonl")
    return stream.getvalue()


def test_rates_speedups_and_problems() -> None:
    facts: dict[str, Scalar] = {"items": 8, "item": "images"}
    text = shown(
        Measurement(name="inference/a", setup=Setup(threads=2), unit="s", samples=(2.0,) * 9, facts=facts),
        Measurement(name="inference/a", setup=Setup(device="mps"), unit="s", samples=(8.0,) * 9, facts=facts),
        Measurement(name="inference/b", setup=Setup(), unit="s", status="wrong", reason="differs by [3]"),
        Measurement(name="inference/c", setup=Setup(), unit="s", status="skipped", reason="no time"),
    )
    assert "4 images/s" in text
    assert "0.25×" in text, "slower than the CPU is shown as well"
    assert "too few samples" not in text
    assert "wrong: inference/b on cpu: differs by [3]" in text
    assert "2 ok, 1 wrong, 1 skipped" in text
    assert "Maker [odd] chip" in text
    assert "torchstone report runs/[x].jsonl --open" in text


def test_far_slower_is_not_nought() -> None:
    text = shown(
        Measurement(name="inference/a", setup=Setup(threads=2), unit="s", samples=(0.001,) * 9),
        Measurement(name="inference/a", setup=Setup(device="vulkan"), unit="s", samples=(2.0,) * 9),
    )
    assert "0.0005×" in text
    assert "Times as fast as the plain CPU" in text


def test_a_run_without_records_still_says_where_it_is() -> None:
    assert "Kept in runs/[x].jsonl" in shown()


def test_single_predictions_are_left_to_the_page() -> None:
    told = [
        Finding(kind=kind, subject=f"finetune/{kind}", verdict="mistake", tier="measured", evidence="named so")
        for kind in ("prediction", "finetune")
    ]
    text = shown(*told)
    assert "finetune/finetune: named so" in text
    assert "finetune/prediction" not in text


def test_epochs_and_times_to_accuracy_are_told_as_such() -> None:
    facts: dict[str, Scalar] = {"items": 8, "item": "images"}
    epoch = Finding(
        kind="finetune",
        subject="finetune/full/epoch 1",
        verdict="accuracy 70%",
        tier="measured",
        evidence="after 30 s",
        facts={"epoch": 1},
    )
    text = shown(
        Measurement(
            name="finetune/full", setup=Setup(), unit="s", quantity="time to accuracy", samples=(2.0,), facts=facts
        ),
        epoch,
    )
    assert "images/s" not in text
    assert "epoch 1" not in text


def test_one_sample_decides_nothing() -> None:
    text = shown(
        Measurement(name="inference/a", setup=Setup(threads=2), unit="s", samples=(2.0,)),
        Measurement(name="inference/a", setup=Setup(threads=1), unit="s", samples=(0.02,) * 9),
    )
    assert "100×" in text
    assert "too few samples" in text
