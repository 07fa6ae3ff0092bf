"""Runs for the tests of reports, made by hand: small, with known numbers, and hostile ones."""

import math
from pathlib import Path
from typing import Any

import msgspec

from torchstone.records import (
    Device,
    Environment,
    Fact,
    Finding,
    Finished,
    Level,
    Measurement,
    Run,
    Scalar,
    Setup,
    Status,
    encode,
)

CPU = Device(id="cpu", kind="cpu", vendor="Intel", name="Xeon", memory_bytes=2**34, unified_memory=True)
MPS = Device(id="mps", kind="mps", vendor="Apple", name="M1", memory_bytes=2**34, unified_memory=True)
PLAIN = Setup(device="cpu", dtype="float32", threads=8)
ON_MPS = Setup(device="mps", dtype="float32")


def timed(name: str, middle: float, setup: Setup = PLAIN, **more: Scalar) -> Measurement:
    """Nine samples within 2 % of a middle: enough for an interval."""
    samples = tuple(middle * (1 + 0.005 * step) for step in range(-4, 5))
    return Measurement(name=name, setup=setup, unit="s", samples=samples, facts=dict(more))


def contest(name: str, seconds: dict[Setup, float], rounds: int = 24, **more: Scalar) -> list[Measurement]:
    """The rivals of one contest: every round has its own disturbance, which all rivals share."""
    disturbed = [1 + 0.02 * math.sin(2.3 * number) for number in range(rounds)]
    return [
        Measurement(
            name=name,
            setup=setup,
            unit="s",
            samples=tuple(middle * disturbance for disturbance in disturbed),
            contest=name,
            protocol="contest",
            facts=dict(more),
        )
        for setup, middle in seconds.items()
    ]


def changed(setup: Setup, **fields: Any) -> Setup:
    return msgspec.structs.replace(setup, **fields)


def without(name: str, status: Status, reason: str, setup: Setup = ON_MPS) -> Measurement:
    return Measurement(name=name, setup=setup, unit="s", status=status, reason=reason)


def finding(kind: str = "doctor", verdict: str = "warning", subject: str = "threads", evidence: str = "few") -> Finding:
    levels: dict[str, Level] = {"ok": "ok", "proven": "ok", "leak": "problem", "wrong": "problem"}
    level = levels.get(verdict, "note" if kind in ("crossover", "transfer") else "warning")
    return Finding(
        kind=kind, subject=subject, verdict=verdict, level=level, tier="measured", evidence=evidence, hint="mend it"
    )


def make_run(
    *records: Measurement | Finding,
    run_id: str = "run-1",
    torch: str = "2.13.0",
    chip: str = "M1 Max",
    devices: tuple[Device, ...] = (CPU, MPS),
    load: float = 0.1,
    made_up: bool = False,
    finished: tuple[str, ...] = (),
) -> Run:
    facts = {
        "on battery": Fact(value=False, source="pmset"),
        "low-power mode": Fact(value=None, source="x", reason="no"),
        "load per core at start": Fact(value=load, source="psutil"),
    }
    if made_up:
        facts["made up"] = Fact(value=True, source="the tests' generator")
    environment = Environment(
        torch=torch, python="3.11.7", os="macOS 15", chip=chip, physical_cores=8, threads=8, facts=facts
    )
    return Run(
        id=run_id,
        started="2026-11-15T22:00:00+00:00",
        command="bench",
        environment=environment,
        devices=devices,
        records=records,
        finished=tuple(Finished(case=name) for name in finished),
    )


def write_run(path: Path, run: Run) -> str:
    header = msgspec.structs.replace(run, records=())
    path.write_bytes(b"".join(encode(one) + b"\n" for one in (header, *run.records)))
    return str(path)


def typical_records() -> list[Measurement | Finding]:
    """Something of every experiment."""
    latencies = tuple(0.001 + 0.00001 * (step % 40) for step in range(80))
    server = [
        Measurement(
            name=f"load/convnet/Server/load={load}%",
            setup=PLAIN,
            unit="s",
            quantity="latency",
            protocol="loadgen Server",
            samples=tuple(sample * load / 25 for sample in latencies),
            facts={"scheduled_rate": 4.0 * load, "latency_bound_s": 0.1, "verdict": "VALID"},
        )
        for load in (25, 50, 75)
    ]
    floors = Measurement(
        name="leak/transformer/inference",
        setup=PLAIN,
        unit="bytes",
        quantity="memory floor, process, fixed shapes",
        samples=tuple(1e6 + 4096 * step for step in range(12)),
        facts={"series": "process", "phase": "fixed shapes", "calls_per_window": 10},
    )
    return [
        timed("training/resnet50/train/batch=8", 0.9, items=8, item="images"),
        timed("training/resnet50/train/batch=8", 0.3, ON_MPS, items=8, item="images"),
        timed("training/resnet50/evaluate/batch=8", 0.2, items=8, item="images"),
        timed("training/resnet50/evaluate/batch=8", 0.5, ON_MPS, items=8, item="images"),
        timed("inference/resnet50/batch=1", 0.05, items=1, item="images"),
        timed("inference/resnet50/batch=1", 0.01, ON_MPS, items=1, item="images"),
        without("inference/vgg16/batch=128", "out_of_memory", "needs 12 GiB, 8 are there"),
        Measurement(
            name="inference/resnet50/batch=1/latency=hot",
            setup=PLAIN,
            unit="s",
            quantity="latency",
            samples=tuple(40 * sample for sample in latencies),
        ),
        Measurement(
            name="inference/resnet50/batch=1/energy",
            setup=PLAIN,
            unit="J",
            quantity="energy",
            status="skipped",
            reason="unavailable: no RAPL counter",
        ),
        timed("finetune/full", 0.4, items=16, item="images"),
        Measurement(
            name="finetune/full",
            setup=PLAIN,
            unit="1",
            quantity="accuracy",
            samples=(0.7, 0.8, 0.85),
            facts={"elapsed s": 90.0},
        ),
        timed("images/pipeline/512/batch=1", 0.02, items=1, item="images"),
        timed("transfer/host to device/16 MiB", 0.004, ON_MPS, items=2**24, item="bytes"),
        *server,
        floors,
        finding(),
        finding("leak", "leak", "leak/transformer/inference: process", "+409600 bytes per 1,000 calls"),
        Finding(
            kind="finetune",
            subject="finetune/full/epoch 1 of 3 on cpu",
            verdict="accuracy 70.0%, loss 0.6",
            tier="measured",
            evidence="after 30 s",
            facts={"epoch": 1},
        ),
        finding("crossover", "from batch 8", "inference/resnet50/crossover", "mps beats the CPU from batch 8 on"),
        finding("selftest", "ok", "A against A", "the same"),
    ]


def typical_run() -> Run:
    return make_run(*typical_records())


MODELS = {"resnet50": (128, 3.2, 1.0), "bert_base": (64, 3.5, 1.1), "vgg16": (64, 4.2, 1.4)}
"""The batch of the post of 2022, the plain CPU's seconds of a training step and of an evaluation."""
CHANNELS_LAST = changed(PLAIN, memory_format="channels_last")
VULKAN = Device(id="vulkan", kind="vulkan", vendor="Mesa", name="llvmpipe", memory_bytes=None, unified_memory=None)


def of_a_device(device: str, trains: float, evaluates: float, rounds: int = 24) -> list[Measurement]:
    """The three models on a device that is so many times as fast; each model a little faster than the one before."""
    found = []
    plain = Setup(device=device, dtype="float32")
    narrow = changed(plain, dtype="float16", precision="autocast")
    for rank, (model, (batch, train_s, evaluate_s)) in enumerate(MODELS.items()):
        for stage, cpu_s, times in (("train", train_s, trains), ("evaluate", evaluate_s, evaluates)):
            seconds = {PLAIN: cpu_s, CHANNELS_LAST: cpu_s / 1.25, plain: cpu_s / (times * (1 + 0.5 * rank))}
            if stage == "train":
                seconds[narrow] = seconds[plain] / 1.3
            name = f"training/{model}/{stage}/batch={batch}"
            found += contest(name, seconds, rounds, items=batch, item="images")
    for batch, times in ((1, 0.5), (4, 1.6), (16, 4.0), (64, 9.0)):
        seconds = {PLAIN: 0.003 * batch, plain: 0.003 * batch / (times * trains / 8)}
        found += contest(f"inference/resnet50/batch={batch}", seconds, rounds, items=batch, item="images")
    return found


def accelerated_run(trains: float = 8.0, evaluates: float = 10.0) -> Run:
    """A fast device with something broken of every kind; made up, and marked so."""
    return make_run(
        *of_a_device("mps", trains, evaluates),
        without("inference/gpt2_small/decode/batch=1", "unsupported", "aten::_flash is not there for MPS"),
        without("training/vgg16/train/batch=256", "out_of_memory", "needs 80 GiB"),
        Measurement(
            name="training/resnet50/train/batch=128",
            setup=changed(ON_MPS, dtype="float16"),
            unit="s",
            status="wrong",
            reason="the loss is NaN",
        ),
        *(one for one in typical_records() if isinstance(one, Finding) or one.name.startswith("load/")),
        made_up=True,
        chip="Apple M4 Max",
    )


def cpu_run() -> Run:
    """No accelerator: the CPU's own setups."""
    records: list[Measurement] = []
    for model, (batch, train_s, evaluate_s) in MODELS.items():
        for stage, seconds in (("train", train_s), ("evaluate", evaluate_s)):
            rivals = {PLAIN: seconds, CHANNELS_LAST: seconds / 1.4}
            records += contest(f"training/{model}/{stage}/batch={batch}", rivals, items=batch, item="images")
    skipped = without("load/convnet/Server", "skipped", "no time was left: give more --budget", PLAIN)
    return make_run(*records, skipped, devices=(CPU,), chip="Intel Xeon")


def slow_device_run() -> Run:
    return make_run(*of_a_device("vulkan", 1 / 73, 1 / 140), devices=(CPU, VULKAN), chip="Intel Xeon")


def busy_run() -> Run:
    """Three rounds of each: nothing can be decided."""
    return make_run(*of_a_device("mps", 2.0, 3.0, rounds=3), load=3.4)
