"""Image processing: decode, resize, crop, flip, colour jitter, blur, rotate, normalize, and the whole pipeline.

Pillow and (where it is installed) OpenCV on the CPU, as people use them, beside kornia on each device. Everything
starts from what a program has in hand, JPEG bytes or uint8 pixels on the host, so moving pixels to the device and
converting them is counted in. Photographs are made on the spot, 256² to 2048², one at a time and in batches.

The road from a JPEG file (or its pixels) to the tensor that a classifier gets is taken in every library and in three
ways of our own, all held to 40 dB (PSNR) against an antialiased resize in float64. All ways of one job are rivals of
one contest, from which the beaten drop out; a finding names the fastest right way on the CPU, and who is tied with it.

kornia's output on a device is verified against the CPU in float64. Where two libraries' algorithms differ, the
record states the PSNR against kornia in float64. Below 40 dB a result is another work: it is timed apart, under a name
of its own, and never called faster. Pictures of before and after are kept for the report.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from PIL import Image

from torchstone.contests.race import Entrant, Race, Ready
from torchstone.data import imaging, preparing
from torchstone.data.imaging import Photographs, as_pixels, psnr
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.data.preparing import LEAST_PSNR_DB
from torchstone.errors import UserError
from torchstone.experiments import Plan
from torchstone.extras import import_extra
from torchstone.models.placing import plain_setup
from torchstone.records import Device, Finding, Measurement, Scalar, Setup
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.stats import paired_ratio

OPTIONS: dict[str, dict[str, str]] = {}

SEED = 2022
TOLERANCE = 5e-3
"""On a scale of 0 to 1: a bit more than one of 256 steps, which nobody sees; wrong operators are far beyond it."""
FROM_FILE, FROM_PIXELS = "jpeg to tensor", "pixels to tensor"
KORNIA_WORDS = "in float32, the whole batch at once"
HOST_WORDS = "photograph by photograph"
SMALL_SIDE = 128
"""Where there are several devices, the pipeline on one photograph of this side comes first: a slow one can do that."""
APART = "other quality"
"""The last part of the name of what is below 40 dB."""
APART_SHARE = 0.2
"""Of a turn's seconds, for what is below 40 dB."""


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


def cases(plan: Plan) -> Iterator[Case]:
    """Fifteen rows for a quick round, the whole pipeline first; then each size and batch."""
    import_extra("kornia")
    if plan.others:
        yield _case(Job("pipeline", imaging.PIPELINE, SMALL_SIDE, 1), plan, 0)
    for rank, job in _jobs(plan.is_deep):
        yield _case(job, plan, rank)


def _jobs(is_deep: bool) -> Iterator[tuple[int, Job]]:
    """With their ranks: the pipeline and the road to a tensor, then each step, then larger photographs."""
    single = [(name, (name,)) for name in imaging.steps()]
    quick = [
        Job("pipeline", imaging.PIPELINE, 512, 1),
        Job(FROM_FILE, (), 512, 8),
        Job("pipeline", imaging.PIPELINE, 512, 8),
        Job(FROM_FILE, (), 512, 1),
        Job(FROM_PIXELS, (), 512, 8),
        Job("decode", (), 512, 8),
        *(Job(what, steps, 512, 8) for what, steps in single),
        Job(FROM_FILE, (), 1024, 1),
    ]
    yield from ((1 if position < 2 else 3, job) for position, job in enumerate(quick))
    if not is_deep:
        return
    deep = [Job("pipeline", imaging.PIPELINE, 512, 32), Job("pipeline", imaging.PIPELINE, 256, 8)]
    for side, batch in ((256, 1), (1024, 1), (1024, 8), (2048, 1), (2048, 8)):
        deep += [Job(what, steps, side, batch) for what, steps in [("pipeline", imaging.PIPELINE), *single]]
        deep += [Job(what, (), side, batch) for what in (FROM_FILE, FROM_PIXELS)]
    yield from ((6, job) for job in dict.fromkeys(deep) if job not in quick)


def _case(job: Job, plan: Plan, rank: int) -> Case:
    return case(job.name, partial(_run, job, plan), setup=plain_setup(), rank=rank, weight=0.6)


def _run(job: Job, plan: Plan, turn: Turn) -> Iterator[Record]:
    turn.note("making photographs")
    photographs = make_photographs(job.batch, job.side, SEED)
    if job.what == "decode":
        ways = _decoders(photographs)
    elif job.what in (FROM_FILE, FROM_PIXELS):
        ways = _ways_to_tensors(job, plan, photographs)
    else:
        ways = _libraries(job, plan, photographs)
    alike: list[_Way] = []
    apart: list[_Way] = []
    for way in ways:
        decibels = _quality(way, job.name)
        if isinstance(decibels, Measurement):
            yield decibels
        else:
            (alike if decibels is None or decibels >= LEAST_PSNR_DB else apart).append(way)
    race = Race(job.name, [_entrant(job, way) for way in alike], turn, goal="fastest")
    yield from race.run()
    yield from _recommend(job, alike, race)
    if apart and not turn.earlier:
        yield from _race_apart(job, apart, turn)


def _race_apart(job: Job, ways: "list[_Way]", turn: Turn) -> Iterator[Record]:
    """What shows another picture, under a name of its own."""
    part = turn.part(max(turn.left_s, APART_SHARE * turn.seconds))
    entrants = [_entrant(job, replace(way, verify=None)) for way in ways]
    yield from Race(f"{job.name}/{APART}", entrants, part, goal="fastest").run()


@dataclass(frozen=True)
class _Way:
    """One library or way of our own, ready to run."""

    name: str
    words: str
    setup: Setup
    call: Callable[[], Any]
    verify: Callable[[Any], str | None] | None
    quality: Callable[[Any], float | None] | None
    """The PSNR of an output; None where the output is verified to be the same but for rounding."""


def _quality(way: _Way, name: str = "") -> float | Measurement | None:
    """The PSNR of what it gives on the CPU; or the record that says why it can't be had."""
    if way.setup.device != "cpu" or way.quality is None:
        return None
    try:
        decibels = way.quality(way.call())
    except UserError as error:
        reason = f"{error.message}; {error.hint}"
        return Measurement(name=name, setup=way.setup, unit="s", status="skipped", reason=reason)
    return 0.0 if decibels is not None and math.isnan(decibels) else decibels


def _entrant(job: Job, way: _Way) -> Entrant:
    def facts() -> dict[str, Scalar]:
        said: dict[str, Scalar] = {"items": job.batch, "item": "images", "batch": job.batch, "side": job.side}
        decibels = _quality(way)
        return {**said, "way": way.words, **({"psnr_db": decibels} if isinstance(decibels, float) else {})}

    return Entrant(way.setup, lambda: Ready(way.call, way.verify, facts))


def _recommend(job: Job, ways: list[_Way], race: Race) -> Iterator[Finding]:
    """Which right way is the fastest on this CPU, and who is tied with it."""
    on_cpu = [way for way in ways if way.setup.device == "cpu"]
    timed = [way for way in on_cpu if way.setup in race.records and len(race.records[way.setup].samples) > 1]
    if len(timed) < 2:
        return
    ordered = sorted(timed, key=lambda way: median(race.records[way.setup].samples))
    best, others = ordered[0], ordered[1:]
    samples = {way.name: race.records[way.setup].samples for way in ordered}
    times = {way.name: paired_ratio(samples[best.name], samples[way.name]) for way in others}
    tied = [name for name, ratio in times.items() if ratio.verdict == "same"]
    undecided = [name for name, ratio in times.items() if ratio.verdict in ("unclear", "faster")]
    median_s = median(samples[best.name])
    beside = "; ".join(f"{name} takes {ratio.ratio:.3g}× as long" for name, ratio in times.items())
    rate = job.batch / median_s
    yield Finding(
        kind="images",
        subject=job.name,
        verdict="ok",
        level="ok",
        tier="measured",
        evidence=(
            f"fastest right way on this CPU: {best.name} ({best.words}), {rate:.4g} images/s; {beside}; "
            f"right is {LEAST_PSNR_DB:g} dB or more against float64"
        ),
        facts={
            "fastest": best.name,
            "device": "cpu",
            "threads": best.setup.threads,
            "tied with": ", ".join(tied) or None,
            "undecided with": ", ".join(undecided) or None,
            "rate": rate,
            "item": "images",
            "way": best.words,
        },
    )


def _libraries(job: Job, plan: Plan, photographs: Photographs) -> list[_Way]:
    """The steps of a job: kornia on the device, and on the CPU what people use."""
    exact = imaging.run_kornia(job.steps, photographs[:1], "cpu", torch.float64)
    if plan.artifacts is not None and job.batch == 1:
        _keep_pictures(job, photographs[0], exact, Path(plan.artifacts))
    cpu, *others = (_with_kornia(job, device, photographs, exact) for device in plan.devices)
    return [
        cpu,
        _on_host("pillow", partial(imaging.run_pillow, job.steps, photographs), as_pixels(exact)),
        _on_host("opencv", partial(imaging.run_opencv, job.steps, photographs), as_pixels(exact)),
        *others,
    ]


def _with_kornia(job: Job, device: Device, photographs: Photographs, exact: torch.Tensor) -> _Way:
    def verify(output: torch.Tensor) -> str | None:
        error = float((output[:1].detach().double().cpu() - exact).abs().max())
        if error <= TOLERANCE:
            return None
        return f"differs from the CPU in float64 by {error:.3g} where {TOLERANCE:g} is tolerated"

    call = partial(imaging.run_kornia, job.steps, photographs, device.id, torch.float32)
    return _Way("kornia", KORNIA_WORDS, plain_setup(device), call, verify, None)


def _on_host(name: str, call: Callable[[], Any], exact: NDArray[numpy.float64]) -> _Way:
    """A library that gives a list of pictures, of which the first is compared."""

    def quality(output: Any) -> float | None:
        return psnr(as_pixels(output[0]), exact)

    return _Way(name, HOST_WORDS, _host_setup(name), call, None, quality)


def _host_setup(library: str) -> Setup:
    return Setup(dtype="uint8", engine=library, threads=torch.get_num_threads())


def _decoders(photographs: Photographs) -> list[_Way]:
    files = [encode_jpeg(one) for one in photographs]
    exact = as_pixels(imaging.decode_pillow(files[:1])[0])
    decoders = {"pillow": imaging.decode_pillow, "opencv": imaging.decode_opencv}
    return [_on_host(name, partial(decode, files), exact) for name, decode in decoders.items()]


def _ways_to_tensors(job: Job, plan: Plan, photographs: Photographs) -> list[_Way]:
    """From files or pixels to what a classifier gets, all held to the same quality."""
    files = [encode_jpeg(one) for one in photographs]
    decoded = numpy.stack(imaging.decode_pillow(files))
    exact = preparing.prepare_exactly(decoded)
    verify, quality = partial(preparing.explain_poor, exact=exact), partial(preparing.quality_db, exact=exact)

    def with_kornia(device_id: str) -> torch.Tensor:
        pixels = numpy.stack(imaging.decode_pillow(files)) if job.what == FROM_FILE else decoded
        return preparing.prepare_by_kornia(pixels, device_id)

    found = [
        _Way("kornia", KORNIA_WORDS, plain_setup(device), partial(with_kornia, device.id), verify, quality)
        for device in plan.devices
    ]
    for name, way in preparing.ways().items():
        call: Callable[[], Any] = (
            partial(preparing.prepare, way.from_file, files)
            if job.what == FROM_FILE
            else partial(preparing.prepare, way.from_pixels, list(decoded))
        )
        found.append(_Way(name, way.words, _host_setup(name), call, verify, quality))
    return found


def _keep_pictures(job: Job, before: Photographs, exact: torch.Tensor, folder: Path) -> None:
    """A normalized picture is stretched to where it can be seen."""
    after = as_pixels(exact)
    if "normalize" in job.steps:
        after = (after - after.min()) / max(float(numpy.ptp(after)), 1e-12) * 255
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"images-{job.what.replace(' ', '-')}-{job.side}"
    Image.fromarray(before).save(folder / f"{stem}-before.jpg", quality=85)
    Image.fromarray(after.clip(0, 255).astype(numpy.uint8)).save(folder / f"{stem}-after.jpg", quality=85)
