"""Training steps of a model that no two calls of agree: they are timed, and nobody claims to have verified them.

The judge of a first step sees two numbers, a loss and a norm. Of a random model they agree or not by luck, so the model
is asked before: called twice as it is, which is cheap, and only where the answers differ looked at in float64, which
names the cause.
"""

from torchstone.contests.answering import reference_of
from torchstone.contests.race import Entrant, Ready
from torchstone.correctness.calling import Caller, differ
from torchstone.correctness.leaves import NotComparableError
from torchstone.models.subject import Subject
from torchstone.records import Scalar, Setup
from torchstone.training.step import Lesson, explain_loss, make_learner

SEED, OTHER_SEED = 0, 1


def explain_chance(subject: Subject) -> str | None:
    """Why no two answers of it agree; None where they do."""
    caller = Caller(subject.model, subject.examples)
    try:
        first = caller.call(SEED)
        second = caller.call(OTHER_SEED, model=first.model)
    except NotComparableError:
        return None
    return reference_of(subject).unverifiable if differ(first.leaves, second.leaves) else None


def learning_unverified(lesson: Lesson, setup: Setup, batch: int, why: str) -> Entrant:
    """A step in that setup, of which only the loss is watched."""

    def prepare() -> Ready:
        learner = make_learner(lesson, setup, batch)
        said: dict[str, Scalar] = {**lesson.facts(batch), "verdict": "unverified", "unverified": why}
        return Ready(learner.step, explain_loss, lambda: said, model=learner.model, optimizer=learner.optimizer)

    return Entrant(setup, prepare)
