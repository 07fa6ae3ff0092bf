"""What the tests of `learn` share: answers made from source, a grader that is started once, a folder of exercises."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from torchstone.learn.catalog import Exercise, find_exercise, find_exercises
from torchstone.learn.grader import Grader, Servers
from torchstone.learn.grading.answers import Answer
from torchstone.learn.grading.checks import Failed
from torchstone.learn.grading.draws import Draw
from torchstone.learn.grading.session import Session, session
from torchstone.learn.judging import load_module
from torchstone.learn.verdicts import Failure
from torchstone.learn.workspace import Workspace, init

MakeAnswer = Callable[[str], Answer]
FailureOf = Callable[[Callable[[], object]], Failure]


@pytest.fixture
def fresh_session(tmp_path: Path) -> Iterator[Session]:
    """The session of this process as a new grading finds it."""
    fresh = Session(path=tmp_path / "01_answer.py")
    before = dict(vars(session))
    vars(session).update(vars(fresh))
    yield session
    vars(session).update(before)


@pytest.fixture
def make_answer(fresh_session: Session) -> MakeAnswer:
    """An answer from the source of a learner's file; torch is imported already."""

    def make(source: str) -> Answer:
        content = ("import torch\n" + source).encode()
        fresh_session.path.write_bytes(content)
        return Answer(load_module("learners_answer", fresh_session.path, content))

    return make


@pytest.fixture
def draw() -> Draw:
    return Draw(0, torch.device("cpu"))


@pytest.fixture
def failure_of() -> FailureOf:
    """The failure with which a call must end."""

    def get(call: Callable[[], object]) -> Failure:
        with pytest.raises(Failed) as caught:
            call()
        return caught.value.failure

    return get


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """Shared by the graders: one takes seconds to start."""
    shared = Servers()
    yield shared
    shared.close()


@pytest.fixture(scope="session")
def grader(servers: Servers) -> Iterator[Grader]:
    with Grader("cpu", servers) as one:
        yield one


@pytest.fixture
def first_tensors() -> Exercise:
    return find_exercise("first_tensors", find_exercises())


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return init(tmp_path / "ladder")[0]
