"""What a fine-tuning came to, as records: time a step, accuracy, time to accuracy, first losses, predictions, scaling.

All records of one training share a name; what they tell apart is the quantity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from torchstone.data.folder import explain_skipped
from torchstone.records import Finding, Measurement, Scalar, Setup
from torchstone.training.first_losses import FirstLosses, spell
from torchstone.training.photographs import Photographs
from torchstone.training.predictions import Prediction, Shown
from torchstone.training.probe import BATCH, ProbeResult
from torchstone.training.recipe import FULL, Recipe
from torchstone.training.trainer import Epoch, History

KIND, PREDICTION_KIND = "finetune", "prediction"
MILESTONES = (0.7, 0.75, 0.8, 0.85, 0.86, 0.88, 0.9, 0.95, 0.99)
"""Accuracies whose time is noted."""
TARGET_WAY = 0.5
"""How far from always naming the most frequent class to perfection the target lies: data decide it, no device does."""


@dataclass(frozen=True)
class Heading:
    """What all records of one training share."""

    name: str
    setup: Setup
    facts: dict[str, Scalar]

    def measurement(self, quantity: str, unit: str, samples: tuple[float, ...], **facts: Scalar) -> Measurement:
        """One that went well."""
        together = {**self.facts, **{name.replace("_", " "): value for name, value in facts.items()}}
        return Measurement(
            name=self.name, setup=self.setup, unit=unit, quantity=quantity, samples=samples, facts=together
        )


def facts_of(recipe: Recipe, photographs: Photographs) -> dict[str, Scalar]:
    """What was trained on what."""
    found: dict[str, Scalar] = {
        "items": recipe.batch,
        "item": "images",
        "batch": recipe.batch,
        "side": recipe.side,
        "train images": len(photographs.train_labels),
        "validation images": len(photographs.validation_labels),
        "test images": len(photographs.test_labels),
        "classes": len(photographs.classes),
        "majority share": photographs.majority_share,
        "data": photographs.source,
        "seed": recipe.seed,
        "batch norm": "frozen" if recipe.freezes_batch_norm else "trained",
        "first side": recipe.side_at(0, 1),
    }
    if photographs.skipped:
        found["left out"] = "; ".join(explain_skipped(photographs.skipped))
    return found


def explain_shrinking(recipe: Recipe, images: int) -> str | None:
    """What a small budget left out, or None."""
    parts = []
    if recipe.side < FULL.side:
        parts.append(f"{recipe.side} pixels instead of {FULL.side}")
    if recipe.most_images is not None and recipe.most_images < images:
        parts.append(f"{recipe.most_images} of {images} images")
    if recipe.epochs < FULL.epochs:
        parts.append(f"{recipe.epochs} of {FULL.epochs} epochs")
    return f"shrunk to fit the budget: {', '.join(parts)}; for all of it, --budget 3600" if parts else None


def epoch_finding(heading: Heading, epoch: Epoch, recipe: Recipe) -> Finding:
    """The live line of an epoch."""
    counted = heading.facts["validation images"]
    return Finding(
        kind=KIND,
        subject=f"{heading.name}/epoch {epoch.number} of {recipe.epochs} on {heading.setup.device}",
        verdict=f"accuracy {epoch.accuracy:.1%} of {counted} validation photographs, loss {epoch.loss:.4f}",
        tier="measured",
        evidence=f"after {epoch.elapsed_s:.1f} s",
        facts={
            "epoch": epoch.number,
            "loss": epoch.loss,
            "accuracy": epoch.accuracy,
            "elapsed_s": epoch.elapsed_s,
            "device": heading.setup.device,
        },
    )


def losses_finding(heading: Heading, found: FirstLosses) -> Finding:
    """The first losses on the device beside the CPU's."""
    wrong = found.explain_nonsense() or found.explain_wrong()
    facts: dict[str, Scalar] = {"device": heading.setup.device, "tolerance": _finite(found.tolerance)}
    for number, (device, exact) in enumerate(zip(found.device, found.exact, strict=True), start=1):
        facts[f"loss {number}, device"] = _finite(device)
        facts[f"loss {number}, cpu float64"] = _finite(exact)
    return Finding(
        kind=KIND,
        subject=f"{heading.name}/first losses on {heading.setup.device}",
        verdict="as on the CPU" if wrong is None else "wrong",
        level="ok" if wrong is None else "problem",
        tier="measured",
        evidence=f"{heading.setup.device} {spell(found.device)}; CPU in float64 {spell(found.exact)}",
        hint=None if wrong is None else "nothing trained on this device can be trusted: `torchstone check` finds where",
        facts=facts,
    )


def training_records(heading: Heading, history: History, recipe: Recipe, steps: int) -> Iterator[Measurement]:
    """Time a step, the accuracy after each epoch, and the time to accuracy; also of one that was stopped."""
    done: dict[str, Scalar] = {"steps": history.step, "of_steps": steps, "resumed": history.resumed}
    if history.step < steps:
        done["stopped"] = f"at step {history.step} of {steps}, where the budget ended; --resume goes on"
    yield _step_times(heading, history, done)
    if not history.epochs:
        reason = f"no epoch ended within the budget: {done.get('stopped', 'no epoch was asked for')}"
        yield _missing(heading, "accuracy", "1", reason)
        return
    last, best = history.epochs[-1], history.best
    yield heading.measurement(
        "accuracy",
        "1",
        tuple(epoch.accuracy for epoch in history.epochs),
        final_accuracy=last.accuracy,
        final_loss=last.loss,
        epochs=len(history.epochs),
        of_epochs=recipe.epochs,
        elapsed_s=last.elapsed_s,
        measured_on="validation photographs",
        **done,
    )
    if best is not None and best.test_accuracy is not None:
        said = f"the epoch with the best validation accuracy, {best.number}"
        yield heading.measurement("test accuracy", "1", (best.test_accuracy,), chosen=said, **done)
    yield _time_to_accuracy(heading, history)


def probe_records(heading: Heading, result: ProbeResult) -> Iterator[Measurement]:
    """Time a batch of features, and what the linear classifier on them knows."""
    if result.batch_s:
        yield heading.measurement("time", "s", tuple(result.batch_s), items=BATCH, features=result.features)
    else:
        yield _missing(heading, "time", "s", f"there are fewer than {BATCH} images: no whole batch was timed")
    yield heading.measurement(
        "accuracy",
        "1",
        (result.accuracy,),
        elapsed_s=result.features_s + result.solve_s,
        solver_s=result.solve_s,
        measured_on="test photographs",
    )


def predictions_finding(heading: Heading, looked_at: list[Prediction], shown: list[Shown]) -> Finding:
    """How often the model is wrong, and which of its predictions are kept as pictures."""
    mistakes = sum(not one.is_right for one in looked_at)
    kept = sum(not one.prediction.is_right for one in shown)
    wrong = [f"the surest mistakes ({kept})"] if kept else []
    right = [f"the first right ones ({len(shown) - kept})"] if len(shown) > kept else []
    return Finding(
        kind=KIND,
        subject=f"{heading.name}/predictions on {heading.setup.device}",
        verdict=f"{mistakes} of {len(looked_at)} test photographs named wrongly",
        tier="measured",
        evidence=f"kept for the report: {' and '.join([*wrong, *right])}, in turn for each class",
        facts={"device": heading.setup.device, "looked at": len(looked_at), "mistakes": mistakes},
    )


def no_pictures_finding(heading: Heading, reason: str) -> Finding:
    """Why there is no picture of a prediction."""
    return Finding(
        kind=KIND,
        subject=f"{heading.name}/predictions on {heading.setup.device}",
        verdict="no pictures",
        tier="measured",
        evidence=reason,
        facts={"device": heading.setup.device},
    )


def prediction_finding(
    heading: Heading, number: int, shown: Shown, classes: tuple[str, ...], context: dict[str, Scalar]
) -> Finding:
    """One prediction with the names of its pictures; `context` is what all of one training share."""
    one = shown.prediction
    named, truth = classes[one.named], classes[one.truth]
    return Finding(
        kind=PREDICTION_KIND,
        subject=f"{heading.name}/prediction {number} on {heading.setup.device}",
        verdict="right" if one.is_right else "mistake",
        level="ok" if one.is_right else "note",
        tier="measured",
        evidence=f"named {named} with a confidence of {one.confidence:.1%}; it is {truth}",
        facts={
            "named": named,
            "truth": truth,
            "confidence": one.confidence,
            "photograph": shown.photograph,
            "overlay": shown.overlay,
            "no overlay": shown.no_overlay,
            "most evidence": shown.strongest,
            "places": shown.grid,
            "test photograph": one.row,
            "device": heading.setup.device,
            **{name: heading.facts[name] for name in ("side", "data", "test images")},
            **context,
        },
    )


def scaling_record(heading: Heading, one: History, together: History, processes: int) -> Measurement:
    """How much of N processes' work is work: one process's seconds a step over N times the team's, same batch."""
    if not one.step_s or not together.step_s:
        return _missing(heading, "scaling efficiency", "1", "too few whole batches were timed: more --budget")
    one_s, team_s = median(one.step_s), median(together.step_s)
    return heading.measurement(
        "scaling efficiency",
        "1",
        (one_s / (processes * team_s),),
        processes=processes,
        threads_each=heading.setup.threads,
        one_process_s=one_s,
        team_s=team_s,
    )


def _step_times(heading: Heading, history: History, done: dict[str, Scalar]) -> Measurement:
    if not history.step_s:
        return _missing(heading, "time", "s", "no whole batch was timed: there are fewer images than a batch holds")
    # The first step finds its memory and its kernels: it is not like the others.
    rest = history.step_s[1:] or history.step_s
    return heading.measurement("time", "s", tuple(rest), **done)


def target_accuracy(majority_share: float) -> float:
    """One for all devices, by the data alone, in whole percents."""
    return round(majority_share + TARGET_WAY * (1 - majority_share), 2)


def _time_to_accuracy(heading: Heading, history: History) -> Measurement:
    """Seconds until the validation accuracy has reached the target; all devices have the same one."""
    target = target_accuracy(float(str(heading.facts["majority share"])))
    best = max(epoch.accuracy for epoch in history.epochs)
    reached = _seconds_to(target, history)
    if reached is None:
        reason = f"{len(history.epochs)} epochs came to {best:.1%}, and the target is {target:.0%}"
        return _missing(heading, "time to accuracy", "s", reason)
    found: dict[str, Scalar] = {"accuracy": target, "best accuracy": best}
    for milestone in MILESTONES:
        seconds = _seconds_to(milestone, history)
        if seconds is not None:
            found[f"seconds to {milestone:.0%}"] = seconds
    return heading.measurement("time to accuracy", "s", (reached,), **found)


def _seconds_to(accuracy: float, history: History) -> float | None:
    return next((epoch.elapsed_s for epoch in history.epochs if epoch.accuracy >= accuracy), None)


def _missing(heading: Heading, quantity: str, unit: str, reason: str) -> Measurement:
    return Measurement(
        name=heading.name,
        setup=heading.setup,
        unit=unit,
        quantity=quantity,
        status="skipped",
        reason=reason,
        facts=heading.facts,
    )


def _finite(number: float) -> float | None:
    """Records hold no infinity and no NaN."""
    return number if abs(number) < float("inf") else None
