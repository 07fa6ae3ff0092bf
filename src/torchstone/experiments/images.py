"""Image processing: decode, resize, crop, flip, colour jitter, blur, rotate, normalize, and the whole pipeline.

Pillow and (where it is installed) OpenCV on the CPU, as people use them, beside kornia on each device. Everything
starts from what a program has in hand, JPEG bytes or uint8 pixels on the host, so moving pixels to the device and
converting them is counted in. Photographs are made on the spot, 256² to 2048², one at a time and in batches.

The road from a JPEG file (or its pixels) to the tensor that a classifier gets is taken in every library and in two
ways of our own, all held to 40 dB (PSNR) against an antialiased resize in float64. On the CPU a finding then names the
fastest right way for that size and batch, set against the others in random-order pairs.

kornia's output on a device is verified against the CPU in float64. Where two libraries' algorithms differ, the
record states the PSNR against kornia in float64, and below 40 dB a result does not count as the same work. Pictures of
before and after are kept for the report.
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
from numpy.typing import NDArray
from PIL import Image

from torchstone.data import imaging, preparing
from torchstone.data.imaging import Photographs, as_pixels, psnr
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.data.preparing import LEAST_PSNR_DB
from torchstone.errors import UserError
from torchstone.experiments import Case, Plan, Record
from torchstone.extras import import_extra
from torchstone.records import Device, Measurement, Scalar, Setup
from torchstone.trials.affording import OVERRUN, Allowance, measure_within, skipped, spell_seconds
from torchstone.trials.recommending import Candidate, recommend

WEIGHT = 2.0
OPTIONS: tuple[str, ...] = ()

SEED = 2022
CASE_S = 0.8
"""What a case of a few small photographs needs, photographs made and verified included."""
PIXELS_A_SECOND = 4e6
"""What a slow device or library does at least; decides which sizes a budget can hold."""
TOLERANCE = 5e-3
"""On a scale of 0 to 1: a bit more than one of 256 steps, which nobody sees; wrong operators are far beyond it."""
MEASURE_SHARE, COMPARE_SHARE = 0.5, 0.2
"""Of a case's seconds, for the libraries one by one and for the fastest against the others; the rest goes to making
photographs and verifying."""
FROM_FILE, FROM_PIXELS = "jpeg to tensor", "pixels to tensor"
KORNIA_WORDS = "in float32, the whole batch at once"
HOST_WORDS = "photograph by photograph"
RIGHT_WORDS = f"right is {LEAST_PSNR_DB:g} dB or more against float64"
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
    jobs += [Job(FROM_FILE, (), 512, batch) for batch in (8, 1)]
    jobs += [Job(what, steps, 512, 8) for what, steps in single]
    if device.kind == "cpu":
        jobs.insert(4, Job("decode", (), 512, 8))
    jobs += [Job(FROM_PIXELS, (), 512, 8), Job(FROM_FILE, (), 2048, 1)]
    jobs += [Job("pipeline", imaging.PIPELINE, 512, 32), Job("pipeline", imaging.PIPELINE, 256, 8)]
    for side, batch in ((256, 1), (1024, 1), (1024, 8), (2048, 1), (2048, 8)):
        jobs += [Job(what, steps, side, batch) for what, steps in [("pipeline", imaging.PIPELINE), *single]]
    jobs += [
        Job(what, (), side, batch)
        for side in (512, 1024, 2048)
        for batch in (1, 8)
        for what in (FROM_FILE, FROM_PIXELS)
    ]
    return list(dict.fromkeys(jobs))


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
        engines = _decoders(photographs)
    elif job.what in (FROM_FILE, FROM_PIXELS):
        engines = _ways_to_tensors(job, plan.device, photographs)
    else:
        engines = _libraries(job, plan, photographs)
    candidates = []
    for engine in engines:
        measured = _measure(engine, job, seconds * MEASURE_SHARE / len(engines))
        if engine.setup.engine == "eager":
            pace.remember(job, measured)
        candidates.append(Candidate(engine.name, engine.words, measured, engine.call))
        yield measured
    if plan.device.kind == "cpu":
        finding = recommend("images", _right(candidates), RIGHT_WORDS, seconds * COMPARE_SHARE)
        yield from (finding,) if finding is not None else ()


def _right(candidates: list[Candidate]) -> list[Candidate]:
    """Without those that show another picture: what is not the same work is no rival."""
    known = ((one, one.measurement.facts.get("psnr_db")) for one in candidates)
    return [one for one, decibels in known if decibels is None or _is_alike(decibels)]


def _is_alike(decibels: Scalar) -> bool:
    return isinstance(decibels, float) and decibels >= LEAST_PSNR_DB


@dataclass(frozen=True)
class _Engine:
    """One library or way, ready to run."""

    name: str
    words: str
    setup: Setup
    call: Callable[[], Any]
    verify: Callable[[Any], str | None] | None
    quality: Callable[[Any], float | None] | None
    """The PSNR of an output; None where the output is verified to be the same but for rounding."""


def _libraries(job: Job, plan: Plan, photographs: Photographs) -> list[_Engine]:
    """The steps of a job: kornia on the device, and on the CPU what people use."""
    exact = imaging.run_kornia(job.steps, photographs[:1], "cpu", torch.float64)
    if plan.artifacts is not None and job.batch == 1:
        _keep_pictures(job, photographs[0], exact, Path(plan.artifacts))
    engines = [_with_kornia(job, plan.device, photographs, exact)]
    if plan.device.kind == "cpu":
        engines += [
            _on_host("pillow", partial(imaging.run_pillow, job.steps, photographs), as_pixels(exact)),
            _on_host("opencv", partial(imaging.run_opencv, job.steps, photographs), as_pixels(exact)),
        ]
    return engines


def _with_kornia(job: Job, device: Device, photographs: Photographs, exact: torch.Tensor) -> _Engine:
    def verify(output: torch.Tensor) -> str | None:
        error = float((output[:1].detach().double().cpu() - exact).abs().max())
        if error <= TOLERANCE:
            return None
        return f"differs from the CPU in float64 by {error:.3g} where {TOLERANCE:g} is tolerated"

    call = partial(imaging.run_kornia, job.steps, photographs, device.id, torch.float32)
    return _Engine("kornia", KORNIA_WORDS, Setup(device=device.id, dtype="float32"), call, verify, None)


def _on_host(name: str, call: Callable[[], Any], exact: NDArray[numpy.float64]) -> _Engine:
    """A library that gives a list of pictures, of which the first is compared."""

    def quality(output: Any) -> float | None:
        return psnr(as_pixels(output[0]), exact)

    return _Engine(name, HOST_WORDS, Setup(dtype="uint8", engine=name), call, None, quality)


def _decoders(photographs: Photographs) -> list[_Engine]:
    files = [encode_jpeg(one) for one in photographs]
    exact = as_pixels(imaging.decode_pillow(files[:1])[0])
    decoders = {"pillow": imaging.decode_pillow, "opencv": imaging.decode_opencv}
    return [_on_host(name, partial(decode, files), exact) for name, decode in decoders.items()]


def _facts(job: Job) -> dict[str, Scalar]:
    return {"items": job.batch, "item": "images", "batch": job.batch, "side": job.side}


def _ways_to_tensors(job: Job, device: Device, photographs: Photographs) -> list[_Engine]:
    """From files or pixels to what a classifier gets, all held to the same quality."""
    files = [encode_jpeg(one) for one in photographs]
    decoded = numpy.stack(imaging.decode_pillow(files))
    exact = preparing.prepare_exactly(decoded)
    verify, quality = partial(preparing.explain_poor, exact=exact), partial(preparing.quality_db, exact=exact)

    def with_kornia() -> torch.Tensor:
        pixels = numpy.stack(imaging.decode_pillow(files)) if job.what == FROM_FILE else decoded
        return preparing.prepare_by_kornia(pixels, device.id)

    plain = Setup(device=device.id, dtype="float32")
    engines = [_Engine("kornia", KORNIA_WORDS, plain, with_kornia, verify, quality)]
    for name, way in preparing.ways().items() if device.kind == "cpu" else ():
        call: Callable[[], Any] = (
            partial(preparing.prepare, way.from_file, files)
            if job.what == FROM_FILE
            else partial(preparing.prepare, way.from_pixels, list(decoded))
        )
        engines.append(_Engine(name, way.words, Setup(dtype="uint8", engine=name), call, verify, quality))
    return engines


def _measure(engine: _Engine, job: Job, seconds: float) -> Measurement:
    facts = _facts(job)
    allowance = Allowance(seconds)
    try:
        if engine.setup.device == "cpu" and engine.quality is not None:
            decibels = engine.quality(engine.call())
            facts["psnr_db"] = "not a number" if decibels is not None and math.isnan(decibels) else decibels
    except UserError as error:
        reason = f"{error.message}; {error.hint}"
        return Measurement(name=job.name, setup=engine.setup, unit="s", status="skipped", reason=reason, facts=facts)
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


def _keep_pictures(job: Job, before: Photographs, exact: torch.Tensor, folder: Path) -> None:
    """A normalized picture is stretched to where it can be seen."""
    after = as_pixels(exact)
    if "normalize" in job.steps:
        after = (after - after.min()) / max(float(numpy.ptp(after)), 1e-12) * 255
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"images-{job.what.replace(' ', '-')}-{job.side}"
    Image.fromarray(before).save(folder / f"{stem}-before.jpg", quality=85)
    Image.fromarray(after.clip(0, 255).astype(numpy.uint8)).save(folder / f"{stem}-after.jpg", quality=85)
