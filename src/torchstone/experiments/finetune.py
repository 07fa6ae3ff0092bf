"""Fine-tuning: a pre-trained network learns to tell defective solar cells from functional ones.

EfficientNet-Lite0 (ImageNet) on the ELPV photographs by default; --data FOLDER takes your own photographs, one folder
for each class, and --model TARGET your own classifier of images. A stratified quarter is kept for testing, and a tenth
of the rest for validation, by which the best epoch is chosen.

- probe: the features of every photograph once, and a linear classifier on them;
- full: all weights are trained, batch norm frozen, with flips and quarter turns (mirrored only for your own
  photographs), on photographs that grow from two thirds of the side to the whole (at one side for your own model).
  Images a second at the full side, the accuracy after each epoch and the seconds to a target, memory, energy.

The losses of the first steps on the device stand beside the CPU's in float64 from the same seed; where they differ,
the training is wrong and its speed is not reported. A small budget shrinks side, photographs and epochs, and the
records say so; --budget 3600 trains in full. --epochs and --learning-rate change the recipe.

A few test photographs, mistakes and right ones, are kept beside the run file for the report, with what the model named
them and where the evidence for that lies (Grad-CAM).

Checkpoints are kept beside the run file, or where --checkpoint says. After Ctrl-C, `kill -9` or a budget that was too
small, --resume RUN goes on; on the CPU the weights become bitwise those of an uninterrupted training. --processes N
trains in N processes of this machine and reports how well that scales; for several machines see `torchrun --nnodes …
-m torchstone.training --help`.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
import torch

from torchstone.contests.race import Entrant, Race, Ready
from torchstone.data.elpv import read_cells
from torchstone.data.labelled import LabelledImages
from torchstone.errors import UserError
from torchstone.experiments import Plan
from torchstone.measuring.energy import measure_energy
from torchstone.measuring.memory import measure_memory
from torchstone.measuring.timing import status_of
from torchstone.models.placing import CHANNELS_LAST, changed, plain_setup
from torchstone.models.subject import label
from torchstone.records import Device, Finding, Measurement, Scalar, Setup, Status
from torchstone.scheduling.case import Case, Record, Turn, case
from torchstone.training import checkpoint
from torchstone.training.classifier import Classifier, build_classifier, fixed_side
from torchstone.training.first_losses import BATCH, SIDE, FirstLosses, compare_first_losses
from torchstone.training.launching import Order, TeamError, run_team, threads_for
from torchstone.training.photographs import Photographs, load_data, order_of_epoch, prepare_photographs
from torchstone.training.predictions import choose, keep, look
from torchstone.training.probe import FEWEST_IMAGES, affordable_images, run_probe
from torchstone.training.recipe import (
    FULL,
    LITE0,
    Recipe,
    Scale,
    choose_scale,
    fine_tuning_s,
    from_fields,
    probing_s,
    scaled,
)
from torchstone.training.recording import (
    Heading,
    epoch_finding,
    explain_shrinking,
    facts_of,
    losses_finding,
    no_pictures_finding,
    prediction_finding,
    predictions_finding,
    probe_records,
    scaling_record,
    training_records,
)
from torchstone.training.step import FUSED, explain_loss
from torchstone.training.trainer import Epoch, History, Trainer, history_from

OPTIONS = {
    "data": {"metavar": "FOLDER", "help": "Your own images, one folder per class."},
    "resume": {"metavar": "RUN", "help": "Go on from a run's checkpoint, or a .pt file."},
    "checkpoint": {"metavar": "FOLDER", "help": "Where checkpoints go."},
    "processes": {"metavar": "N", "type": "count", "help": "Train in N processes."},
    "epochs": {"metavar": "N", "type": "count", "help": "Rounds over all images."},
    "learning-rate": {"metavar": "RATE", "type": "rate", "help": "The cycle's highest rate."},
}
FIT_SHARE = 0.6
"""Of a case's seconds, that the training is chosen to fill: the rest goes to loading, checking and a slower machine."""
TRAIN_UNTIL = 0.9
"""Of a case's seconds: what is left then is for memory and energy."""
STEPS_SHARE = 0.2
"""Of the seconds, for steps against each other."""
CHECK_SHARE = 0.3
"""Of the seconds, for the first losses on the device: on a slow one fewer steps are compared."""
DOUBT = 3.0
"""A small step is mostly overhead, so a large one takes less than it makes believe."""
LOOKING_SHARE = 0.5
"""Of the seconds left after training, for looking at test photographs that might be shown."""
ENERGY_S = 5.0
ALONE_SHARE = 0.25
"""Of the seconds, for one process alone, which the team is set against."""
START_S = 10.0
"""What a team takes to start, on slow cores."""


@dataclass(frozen=True)
class Job:
    """One training on one device."""

    plan: Plan
    device: Device
    recipe: Recipe
    images: int
    """How many there are in all, before a small budget leaves some out."""
    resumes: str | None = None
    """The checkpoint to go on from."""

    @property
    def subject(self) -> str:
        return label(self.recipe.model)

    @property
    def path(self) -> Path | None:
        place = self.resumes or self.plan.options.get("checkpoint") or self.plan.artifacts
        return None if place is None else checkpoint.path_in(str(place))


def cases(plan: Plan) -> Iterator[Case]:
    """The linear probe; the full fine-tuning where it was asked for or there is time; only the latter where one is
    resumed or several processes train."""
    subject = label(plan.model or LITE0)
    if "resume" in plan.options:
        subject = label(from_fields(checkpoint.read(_checkpoint_to_resume(plan))["recipe"]).model)
    for device in plan.devices:
        setup = plain_setup(device)
        if "resume" not in plan.options and "processes" not in plan.options:
            probe = partial(_on_device, plan, device, probing_s, _probe)
            yield case(f"finetune/{subject}/probe", probe, setup=setup, rank=5, weight=2.0)
        if plan.is_asked_for or plan.is_deep:
            run = _run_team if "processes" in plan.options else _fine_tune
            full = partial(_on_device, plan, device, fine_tuning_s, run)
            yield case(f"finetune/{subject}/full", full, setup=setup, rank=7, weight=6.0)


def _on_device(
    plan: Plan,
    device: Device,
    needed_s: Callable[[Scale, int], float],
    run: Callable[[Job, Turn], Iterator[Record]],
    turn: Turn,
) -> Iterator[Record]:
    """As much of the recipe as the turn can hold; the same turn, and so the same recipe, for every device."""
    turn.note("loading photographs")
    if "resume" in plan.options:
        yield from run(_resumed_job(plan, device), turn)
    else:
        yield from run(_new_job(plan, device, turn.seconds, needed_s), turn)


def _full_name(job: Job) -> str:
    name = f"finetune/{job.subject}/full/side={job.recipe.side}/batch={job.recipe.batch}"
    processes = job.plan.options.get("processes")
    return name if processes is None else f"{name}/processes={processes}"


def _new_job(plan: Plan, device: Device, seconds: float, needed_s: Callable[[Scale, int], float]) -> Job:
    data = plan.options.get("data")
    recipe = Recipe(
        model=plan.model or LITE0,
        input_shape=plan.input_shape,
        data=None if data is None else str(data),
        augmentation="turns" if data is None else "mirror",
    )
    images = _count_images(recipe)
    recipe = _with_own_side(scaled(recipe, choose_scale(seconds * FIT_SHARE, images, needed_s)))
    return Job(plan, device, dataclasses.replace(recipe, **_asked(plan.options)), images)


def _checkpoint_to_resume(plan: Plan) -> Path:
    return checkpoint.locate(str(plan.options["resume"]))


def _resumed_job(plan: Plan, device: Device) -> Job:
    """The recipe is the checkpoint's; an option that says otherwise is a mistake."""
    path = _checkpoint_to_resume(plan)
    recipe = from_fields(checkpoint.read(path)["recipe"])
    asked = {**_asked(plan.options), **({"data": plan.options["data"]} if "data" in plan.options else {})}
    for name, value in asked.items():
        if value != getattr(recipe, name):
            shown = f"--{name.replace('_', '-')}"
            raise UserError(f"{shown} {value} is not what the checkpoint began with", f"leave {shown} out")
    return Job(plan, device, recipe, _count_images(recipe), str(path))


def _asked(options: Mapping[str, Scalar]) -> dict[str, Any]:
    """What a person changed of the recipe."""
    kinds = {"epochs": int, "learning-rate": float}
    return {name.replace("-", "_"): kind(str(options[name])) for name, kind in kinds.items() if name in options}


def _with_own_side(recipe: Recipe) -> Recipe:
    """A person's own model has the side of its example."""
    side = fixed_side(recipe)
    return recipe if side is None else dataclasses.replace(recipe, side=side)


def _count_images(recipe: Recipe) -> int:
    """About how many there are, without opening any."""
    if recipe.data is None:
        return len(read_cells())
    return sum(1 for path in Path(recipe.data).expanduser().rglob("*") if path.is_file())


@lru_cache(maxsize=1)
def _load(data: str | None, side: int, seed: int, most_images: int | None) -> LabelledImages:
    return load_data(Recipe(data=data, side=side, seed=seed, most_images=most_images))


def _prepare(job: Job) -> tuple[Photographs, Classifier]:
    side = max(job.recipe.side, FULL.side)
    photographs = prepare_photographs(job.recipe, _load(job.recipe.data, side, job.recipe.seed, job.recipe.most_images))
    return photographs, build_classifier(job.recipe, len(photographs.classes))


def _heading(job: Job, name: str, photographs: Photographs, classifier: Classifier, memory_format: str) -> Heading:
    facts = {**facts_of(job.recipe, photographs), "weights": classifier.weights, "parameters": classifier.parameters}
    shrunk = explain_shrinking(job.recipe, job.images)
    if shrunk is not None:
        facts["note"] = shrunk
    threads = torch.get_num_threads()
    setup = Setup(device=job.device.id, dtype="float32", memory_format=memory_format, threads=threads)
    return Heading(name, setup, facts)


def _probe(job: Job, turn: Turn) -> Iterator[Record]:
    photographs, classifier = _prepare(job)
    trainer = Trainer(job.recipe, classifier, photographs, job.device.id)
    name = f"finetune/{job.subject}/probe/side={job.recipe.side}"
    heading = _heading(job, name, photographs, classifier, trainer.memory_format)
    most = affordable_images(trainer, turn.left_s * TRAIN_UNTIL)
    needed = min(FEWEST_IMAGES, job.images)
    if most < needed:
        reason = f"the features of {most} images fit in its seconds, and {needed} are needed: more --budget"
        yield _refused(dataclasses.replace(heading, name=name), "skipped", reason)
        return
    if most < len(photographs):
        job = dataclasses.replace(job, recipe=dataclasses.replace(job.recipe, most_images=most))
        photographs, classifier = _prepare(job)
        trainer = dataclasses.replace(trainer, photographs=photographs)
    heading = _heading(job, name, photographs, classifier, trainer.memory_format)
    yield from probe_records(heading, run_probe(trainer))


def _fine_tune(job: Job, turn: Turn) -> Iterator[Record]:
    photographs, classifier = _prepare(job)
    trainer = Trainer(job.recipe, classifier, photographs, job.device.id, path=job.path)
    heading = _heading(job, _full_name(job), photographs, classifier, trainer.memory_format)
    first = compare_first_losses(
        job.recipe, classifier, photographs, job.device.id, _small_side(job), turn.left_s * CHECK_SHARE
    )
    yield losses_finding(heading, first)
    refusal = _explain_refusal(heading, first, job.recipe, turn)
    if refusal is not None:
        yield refusal
        return
    yield _memory(heading, trainer)
    yield from _steps_race(job, heading, _step_trainers(job, heading, trainer), turn)
    if job.resumes is not None:
        trainer.resume(checkpoint.read(Path(job.resumes)))
    trainer.deadline = time.perf_counter() + turn.left_s - turn.seconds * (1 - TRAIN_UNTIL)
    for epoch in trainer.run():
        yield epoch_finding(heading, epoch, job.recipe)
    yield from training_records(heading, trainer.history, job.recipe, trainer.steps)
    yield from _predictions(job, heading, trainer, turn)
    yield _energy(heading, trainer, turn)


def _step_trainers(job: Job, heading: Heading, trainer: Trainer) -> dict[Setup, Trainer]:
    """The textbook's first, then the CPU with all that the device has, then the device."""
    plain = plain_setup("cpu")
    best = changed(plain, memory_format=CHANNELS_LAST, options=(FUSED,))
    fresh = partial(Trainer, job.recipe, trainer.classifier, trainer.photographs)
    found = {plain: fresh(plain=True), best: fresh()}
    if job.device.kind != "cpu":
        found[heading.setup] = fresh(job.device.id)
    return found


def _small_side(job: Job) -> int | None:
    return None if fixed_side(job.recipe) is not None else SIDE


def _explain_refusal(heading: Heading, first: FirstLosses, recipe: Recipe, turn: Turn) -> Measurement | None:
    """A training that would be wrong, or whose first step the budget does not hold."""
    nonsense, wrong = first.explain_nonsense(), first.explain_wrong()
    if nonsense is not None:
        return _refused(heading, "failed", nonsense)
    if wrong is not None:
        return _refused(heading, "wrong", wrong)
    step_s = first.step_s * recipe.batch / BATCH * (recipe.side / first.side) ** 2
    if step_s <= DOUBT * turn.left_s:
        return None
    reason = f"a step would take about {step_s:.3g} s and {max(turn.left_s, 0.0):.3g} s are left: more --budget"
    return _refused(heading, "skipped", reason)


def _refused(heading: Heading, status: Status, reason: str) -> Measurement:
    return Measurement(
        name=heading.name, setup=heading.setup, unit="s", status=status, reason=reason, facts=heading.facts
    )


def _steps_race(job: Job, heading: Heading, trainers: dict[Setup, Trainer], turn: Turn) -> Iterator[Record]:
    """One step as a textbook writes it on the CPU, the same at its best there, and on the device: a contest."""
    items = min(job.recipe.batch, len(next(iter(trainers.values())).photographs.train_labels))

    def prepared(trainer: Trainer) -> Ready:
        said = "as a textbook writes it" if trainer.plain else "batch norm folded, channels last, one fused optimizer"
        return Ready(_step_of(trainer), explain_loss, lambda: {**heading.facts, "items": items, "step": said})

    entrants = [Entrant(setup, partial(prepared, trainer)) for setup, trainer in trainers.items()]
    part = turn.part(turn.left_s * STEPS_SHARE)
    yield from Race(f"{heading.name}/step", entrants, part).run()


def _memory(heading: Heading, trainer: Trainer) -> Measurement:
    """The peak of one step: weights, gradients, the optimizer's moments and activations apart."""
    record = Measurement(name=f"{heading.name}/memory", setup=heading.setup, unit="bytes", quantity="peak memory")
    try:
        # A fresh one: its step must not count in the history of the training that follows.
        fresh = dataclasses.replace(trainer, path=None, history=History())
        peak = measure_memory(
            _step_of(fresh), model=fresh.model, optimizer=fresh.optimizer, device=heading.setup.device
        )
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(record, status=status, reason=reason, facts=heading.facts)
    return msgspec.structs.replace(record, samples=(float(peak.peak_bytes),), facts={**heading.facts, **peak.facts()})


def _predictions(job: Job, heading: Heading, trainer: Trainer, turn: Turn) -> Iterator[Finding]:
    """What the trained model says of some test photographs, which are kept beside the run file."""
    if job.plan.artifacts is None:
        return
    looked_at = look(trainer, turn.left_s * LOOKING_SHARE)
    if not looked_at or not all(math.isfinite(one.confidence) for one in looked_at):
        reason = "the model's answers are not finite" if looked_at else "no time was left for them: more --budget"
        yield no_pictures_finding(heading, reason)
        return
    stem = f"finetune-{trainer.device.id.replace(':', '-')}"
    try:
        shown = list(keep(trainer, choose(looked_at), Path(job.plan.artifacts), stem))
    except OSError as error:
        yield no_pictures_finding(heading, f"they cannot be written: {error.strerror or error}")
        return
    summary = predictions_finding(heading, looked_at, shown)
    yield summary
    context = {**summary.facts, "steps": trainer.history.step, "of steps": trainer.steps}
    for number, one in enumerate(shown, start=1):
        yield prediction_finding(heading, number, one, trainer.photographs.classes, context)


def _energy(heading: Heading, trainer: Trainer, turn: Turn) -> Measurement:
    """Of a step more, after the training: its weights are safe in the checkpoint."""
    seconds = min(ENERGY_S, max(turn.left_s, 1.0))
    where = heading.setup
    return measure_energy(_step_of(trainer), name=heading.name, device=where.device, setup=where, budget_s=seconds)


def _step_of(trainer: Trainer) -> Callable[[], torch.Tensor]:
    """A step on the first batch of the first epoch."""
    order, positions = order_of_epoch(trainer.recipe, 0, len(trainer.photographs.train_labels))
    return partial(trainer.step, order[: trainer.recipe.batch], positions)


def _run_team(job: Job, turn: Turn) -> Iterator[Record]:
    """One process for a while, then all of them, each with the same number of threads."""
    photographs, classifier = _prepare(job)
    order = _order(job)
    heading = _heading(job, _full_name(job), photographs, classifier, "channels_last")
    heading = dataclasses.replace(heading, setup=msgspec.structs.replace(heading.setup, threads=order.threads))
    # Of the full side from the first step on: a share of the training would not reach the steps that are compared.
    whole = dataclasses.replace(job.recipe, grows=False)
    alone = dataclasses.replace(order, recipe=whole, processes=1, checkpoint=None, resumes=False)
    try:
        one = _last_history(run_team(dataclasses.replace(alone, seconds=turn.left_s * ALONE_SHARE)))
        events = run_team(dataclasses.replace(order, seconds=max(turn.left_s * TRAIN_UNTIL - START_S, 1.0)))
        for event in events:
            if "epoch" in event:
                yield epoch_finding(heading, Epoch(**event["epoch"]), job.recipe)
            else:
                together = history_from(event["history"])
                yield from training_records(heading, together, job.recipe, event["steps"])
                yield scaling_record(heading, one, together, order.processes)
        if job.path is not None:
            yield from _predictions(job, heading, _trained_by_team(job, photographs, classifier, job.path), turn)
    except TeamError as error:
        yield _lost(heading, error, job.path)


def _trained_by_team(job: Job, photographs: Photographs, classifier: Classifier, path: Path) -> Trainer:
    """The team is gone; its weights are in the checkpoint."""
    trainer = Trainer(job.recipe, classifier, photographs, job.device.id)
    trainer.resume(checkpoint.read(path))
    return trainer


def _order(job: Job) -> Order:
    processes = int(str(job.plan.options["processes"]))
    if processes < 1:
        raise UserError(f"--processes {processes} trains nothing", "give the number of processes, 1 or more")
    return Order(
        job.recipe,
        processes,
        job.device.id.split(":")[0],
        job.path,
        job.resumes is not None,
        threads=threads_for(processes),
    )


def _last_history(events: Iterator[dict[str, Any]]) -> History:
    found = [history_from(event["history"]) for event in events if "history" in event]
    return found[-1] if found else History()


def _lost(heading: Heading, error: TeamError, path: Path | None) -> Measurement:
    goes_on = f"; --resume {path} goes on" if path is not None and path.exists() else ""
    return _refused(heading, "failed", f"{error}{goes_on}")
