"""Device portability on any machine: the learner's code on the pretend accelerator of this package.

Everything works there as on the CPU, but it *is* another device: a tensor made without `device=` is in the wrong
place, and knobs make it as limited as a real one (no float64, ops missing, asynchronous).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from torchstone.learn.grading.checks import skip
from torchstone.learn.grading.comparing import expect_same
from torchstone.learn.grading.draws import Draw
from torchstone.learn.grading.session import session

PRETEND = "pretend"


@contextmanager
def pretend_device(**knobs: Any) -> Iterator[torch.device]:
    """The pretend accelerator as the graded device; `knobs` as in `torchstone.pretend.configure`."""
    device = _install()
    import torchstone.pretend

    before = session.device
    session.device = device
    try:
        with torchstone.pretend.configure(**knobs):
            yield device
    finally:
        session.device = before


def expect_portable(
    function: Any,
    reference: Callable[..., Any],
    make: Callable[[Draw], tuple[Any, ...]],
    *,
    teach: str | None = None,
    **knobs: Any,
) -> None:
    """The function must give the reference's result on the pretend device too, and leave it there."""
    with pretend_device(**knobs) as device:
        expect_same(function, reference, *make(Draw(session.seed, device)), teach=teach)


def _install() -> torch.device:
    import torchstone.pretend

    current = torch.accelerator.current_accelerator()
    if current is not None and current.type not in (PRETEND, "cuda", "xpu", "mps"):
        skip(f"{current.type} holds torch's one place for an out-of-tree device, which the pretend device needs")
    torchstone.pretend.install()
    return torch.device(PRETEND, 0)
