"""Grade everything that the learner has begun: every file that is no longer its starter."""

from collections.abc import Iterator

from torchstone.errors import UserError
from torchstone.learn.catalog import Exercise
from torchstone.learn.grader import Grader
from torchstone.learn.verdicts import Verdict
from torchstone.learn.workspace import Workspace


def begun(workspace: Workspace) -> tuple[Exercise, ...]:
    """The exercises whose file the learner has changed, or solved before."""
    return tuple(exercise for exercise in workspace.exercises if _is_begun(workspace, exercise))


def grade_begun(workspace: Workspace, grader: Grader) -> Iterator[Verdict]:
    """A verdict for each, kept as it comes."""
    for exercise in begun(workspace):
        source = workspace.read(exercise)
        verdict = grader.grade(exercise, workspace.file(exercise), source.content)
        workspace.keep(verdict)
        yield verdict


def _is_begun(workspace: Workspace, exercise: Exercise) -> bool:
    try:
        return workspace.read(exercise).content != exercise.starter.read_bytes()
    except UserError:  # the file is gone: nothing to grade
        return False
