"""Image processing: decode, resize, crop, flip, colour jitter, blur, rotate, normalize, and the whole pipeline.

Pillow and (where it is installed) OpenCV on the CPU, as people use them, beside kornia on each device. Everything
starts from what a program has in hand, JPEG bytes or uint8 pixels on the host, so moving pixels to the device and
converting them is counted in. Photographs are made on the spot, 256² to 2048², one at a time and in batches.

kornia's output on a device is verified against the CPU in float64. Where two libraries' algorithms differ, the
record states the PSNR against kornia in float64. Pictures of before and after are kept for the report.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import numpy
import torch
from PIL import Image

from torchstone.errors import UserError
from torchstone.experiments import Case, Plan, Record
from torchstone.records import Device, Measurement, Scalar, Setup
from torchstone.trials.affording import OVERRUN, Allowance, measure_within, skipped, spell_seconds
from torchstone.workloads import imaging
from torchstone.workloads.extras import import_extra
from torchstone.workloads.imaging import Photographs, as_pixels, psnr
from torchstone.workloads.photographs import encode_jpeg, make_photographs

WEIGHT = 2.0
OPTIONS: tuple[str, ...] = ()

SEED = 2022
CASE_S = 0.8
"""What a case of a few small photographs needs, photographs made and verified included."""
PIXELS_A_SECOND = 4e6
"""What a slow device or library does at least; decides which sizes a budget can hold."""
TOLERANCE = 5e-3
"""On a scale of 0 to 1: a bit more than one of 256 steps, which nobody sees; wrong operators are far beyond it."""
MEASURE_SHARE = 0.7
"""Of a case's seconds: the rest goes to making photographs and verifying."""
SMALL_SIDE = 128
"""Where there are several devices, the pipeline on one photograph of this side comes first: a slow one can do that."""
SMALL_WEIGHT = 5.0
"""A slow device builds its kernels in that case."""
SMALL_ENOUGH_S = 0.5
"""A quick device leaves the rest to the cases after it."""


@dataclass(frozen=True)
class Job:
    """What to do to how many photographs of what size."""

    what: str
    steps: tuple[str, ...]
    side: int
    batch: int

    @property
    def name(self) -> str:
        return f"images/{self.what}/{self.side}/batch={self.batch}"

    @property
    def is_small(self) -> bool:
        return self.side == SMALL_SIDE

    @property
    def pixels(self) -> int:
        return self.batch * self.side**2


def cases(plan: Plan) -> Iterator[Case]:
    """As many as the budget holds, the whole pipeline first."""
    import_extra("kornia")
    pace = Pace()
    small = [Job("pipeline", imaging.PIPELINE, SMALL_SIDE, 1)] if plan.beside_others else []
    found = [_case(job, plan, pace) for job in [*small, *_jobs(plan.device)]]
    ends = list(accumulate(case.weight * CASE_S for case in found))
    yield from (case for case, end in zip(found, ends, strict=True) if end <= plan.budget_s or case is found[0])


def _jobs(device: Device) -> list[Job]:
    """The most telling first: the pipeline at the usual sizes, then each step, then larger photographs."""
    single = [(name, (name,)) for name in imaging.steps()]
    jobs = [Job("pipeline", imaging.PIPELINE, 512, batch) for batch in (1, 8)]
    jobs += [Job(what, steps, 512, 8) for what, steps in single]
    if device.kind == "cpu":
        jobs.insert(2, Job("decode", (), 512, 8))
    jobs += [Job("pipeline", imaging.PIPELINE, 512, 32), Job("pipeline", imaging.PIPELINE, 256, 8)]
    for side, batch in ((256, 1), (1024, 1), (1024, 8), (2048, 1), (2048, 8)):
        jobs += [Job(what, steps, side, batch) for what, steps in [("pipeline", imaging.PIPELINE), *single]]
    return jobs


def _case(job: Job, plan: Plan, pace: "Pace") -> Case:
    weight = SMALL_WEIGHT if job.is_small else 1.0 + job.pixels / PIXELS_A_SECOND
    return Case(job.name, partial(_run, job, plan, pace), weight)


@dataclass
class Pace:
    """How fast a device was so far: a call that would take minutes is not even begun."""

    seconds_a_pixel: dict[str, float] = field(default_factory=dict)
    """By what was done; the pipeline stands in for a step that was not timed yet."""

    def remember(self, job: Job, timed: Measurement) -> None:
        """From the samples alone: a first call builds kernels, which says nothing of those after it."""
        if timed.samples:
            self.seconds_a_pixel[job.what] = min(timed.samples) / job.pixels

    def explain_hopeless(self, job: Job, seconds: float) -> str | None:
        """Why it is not begun: by what was seen so far, two calls would not fit."""
        whole = self.seconds_a_pixel.get("pipeline", 0.0) / len(imaging.PIPELINE)
        expected_s = self.seconds_a_pixel.get(job.what, whole) * job.pixels
        if 2 * expected_s <= seconds * OVERRUN:
            return None
        expected, granted = spell_seconds(expected_s), spell_seconds(seconds)
        return f"a call would take about {expected}, and {granted} are granted: give more --budget"


def _run(job: Job, plan: Plan, pace: Pace, seconds: float) -> Iterator[Record]:
    hopeless = pace.explain_hopeless(job, seconds) if plan.device.kind != "cpu" else None
    if hopeless is not None:
        yield skipped(job.name, Setup(device=plan.device.id, dtype="float32"), hopeless, facts=_facts(job))
        return
    photographs = make_photographs(job.batch, job.side, SEED)
    if job.what == "decode":
        yield from _run_decoding(job, plan, photographs, seconds)
        return
    exact = imaging.run_kornia(job.steps, photographs[:1], "cpu", torch.float64)
    engines = [_with_kornia(job, plan.device, photographs, exact)]
    if plan.device.kind == "cpu":
        engines += [_with_pillow(job, photographs), _with_opencv(job, photographs)]
    for make in engines:
        found = _measure(make, job, as_pixels(exact), seconds * MEASURE_SHARE / len(engines))
        if make.setup.engine == "eager":
            pace.remember(job, found)
        yield found
    if plan.artifacts is not None and job.batch == 1:
        _keep_pictures(job, photographs[0], exact, Path(plan.artifacts))


@dataclass(frozen=True)
class _Engine:
    """One library, ready to run."""

    setup: Setup
    call: Callable[[], Any]
    verify: Callable[[Any], str | None] | None = None
    first: Callable[[Any], Any] = lambda output: output[0]


def _with_kornia(job: Job, device: Device, photographs: Photographs, exact: torch.Tensor) -> _Engine:
    def verify(output: torch.Tensor) -> str | None:
        error = float((output[:1].detach().double().cpu() - exact).abs().max())
        if error <= TOLERANCE:
            return None
        return f"differs from the CPU in float64 by {error:.3g} where {TOLERANCE:g} is tolerated"

    call = partial(imaging.run_kornia, job.steps, photographs, device.id, torch.float32)
    return _Engine(Setup(device=device.id, dtype="float32"), call, verify, first=lambda output: output)


def _with_pillow(job: Job, photographs: Photographs) -> _Engine:
    return _Engine(Setup(dtype="uint8", engine="pillow"), partial(imaging.run_pillow, job.steps, photographs))


def _with_opencv(job: Job, photographs: Photographs) -> _Engine:
    return _Engine(Setup(dtype="uint8", engine="opencv"), partial(imaging.run_opencv, job.steps, photographs))


def _facts(job: Job) -> dict[str, Scalar]:
    return {"items": job.batch, "item": "images", "batch": job.batch, "side": job.side}


def _measure(engine: _Engine, job: Job, exact: Any, seconds: float) -> Measurement:
    facts = _facts(job)
    try:
        if engine.setup.engine != "eager":
            facts["psnr_db"] = psnr(as_pixels(engine.first(engine.call())), exact)
    except UserError as error:
        reason = f"{error.message}; {error.hint}"
        return Measurement(name=job.name, setup=engine.setup, unit="s", status="skipped", reason=reason, facts=facts)
    allowance = Allowance(seconds)
    found = measure_within(
        engine.call,
        allowance,
        name=job.name,
        setup=engine.setup,
        verify=engine.verify,
        enough_s=SMALL_ENOUGH_S if job.is_small else math.inf,
        is_small=job.is_small,
    )
    return msgspec.structs.replace(found, facts={**found.facts, **facts})


def _run_decoding(job: Job, plan: Plan, photographs: Photographs, seconds: float) -> Iterator[Record]:
    files = [encode_jpeg(one) for one in photographs]
    exact = as_pixels(imaging.decode_pillow(files[:1])[0])
    engines = (
        _Engine(Setup(dtype="uint8", engine="pillow"), partial(imaging.decode_pillow, files)),
        _Engine(Setup(dtype="uint8", engine="opencv"), partial(imaging.decode_opencv, files)),
    )
    for engine in engines:
        yield _measure(engine, job, exact, seconds * MEASURE_SHARE / len(engines))


def _keep_pictures(job: Job, before: Photographs, exact: torch.Tensor, folder: Path) -> None:
    """A normalized picture is stretched to where it can be seen."""
    after = as_pixels(exact)
    if "normalize" in job.steps:
        after = (after - after.min()) / max(float(numpy.ptp(after)), 1e-12) * 255
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"images-{job.what.replace(' ', '-')}-{job.side}"
    Image.fromarray(before).save(folder / f"{stem}-before.jpg", quality=85)
    Image.fromarray(after.clip(0, 255).astype(numpy.uint8)).save(folder / f"{stem}-after.jpg", quality=85)
