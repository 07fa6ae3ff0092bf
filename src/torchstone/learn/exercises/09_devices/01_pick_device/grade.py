"""Grades pick_device: with the pretend accelerator, with a machine that seems to have none, with wishes that fail."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import torch

from torchstone.learn.grading import Answer, Draw, check, expect, fail, pretend_device

PROMISES = {
    '`"cuda" if torch.cuda.is_available() else "cpu"` stands at the top of': None,
    "On a Mac, on an Intel or an AMD card,": None,
    "And who asks for a device that is not there should be told so, not given another one.": "refuses_what_is_not_here",
    "Write `pick_device(wanted=None)`, which returns a `torch.device`:": "finds_the_accelerator",
    "The checks have an accelerator that no list of names holds: it is called `pretend`.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

ABSENT = ("cuda", "mps", "xpu", "hpu", "mtia")
"""Kinds of devices of which no machine has all."""
NO_WISHES = ("gpu", "", "CPU", " cpu", "cpu:1", "cpu:9", "cpu:-1")
"""Words that no machine can fulfil: there is one CPU, and it has the index 0."""
ALONE = "Where there is no accelerator, the CPU is the best device."
BUILT_FOR = "What torch was built for need not be here: ask whether it is available."
FALLBACK = "Whoever asks for a device and silently gets another one measures the wrong thing: raise a ValueError."


@contextmanager
def no_accelerator(built_for: bool = False) -> Iterator[None]:
    """Let torch say what it says on a machine with a CPU alone; one that is built for an accelerator still names it."""
    best = torch.accelerator.current_accelerator()
    module = torch.get_device_module(best)
    with (
        patch.object(torch._C, "_accelerator_getAccelerator", lambda: best if built_for else None),
        patch.object(module, "is_available", lambda: False),
        patch.object(module, "device_count", lambda: 0),
    ):
        yield


def expect_device(got: object, kind: str, asked: str, teach: str) -> None:
    expect(
        isinstance(got, torch.device),
        f"pick_device({asked}) returned {got!r}; it should return a torch.device",
        teach="Callers ask it for .type and .index, so wrap the name: torch.device(…).",
    )
    expect(got.type == kind and not got.index, f"pick_device({asked}) returned {str(got)!r}, not {kind!r}", teach=teach)


def expect_refusal(answer: Answer, wanted: str, here: tuple[str, ...]) -> None:
    try:
        got = answer.pick_device(wanted)
    except ValueError as error:
        missing = [name for name in (wanted, *here) if name not in str(error)]
        expect(
            not missing,
            f"the message for {wanted!r} is {str(error)!r}: it does not name {missing[0] if missing else ''!r}",
            teach="A refusal that helps says what was asked for and what there is to choose from.",
        )
    except (RuntimeError, AssertionError, KeyError, TypeError, AttributeError) as error:
        fail(
            f"pick_device({wanted!r}) raised {type(error).__name__} and should raise ValueError",
            teach="torch's own errors differ from device to device: catch them and raise one kind, ValueError.",
        )
    else:
        fail(f"pick_device({wanted!r}) returned {str(got)!r}, and there is no such device here", teach=FALLBACK)


@check("solved")
def finds_the_accelerator(answer: Answer, draw: Draw) -> None:
    teach = "Not every accelerator is called cuda: torch.accelerator knows the one that is here, under any name."
    with pretend_device():
        best = torch.accelerator.current_accelerator().type
        expect_device(answer.pick_device(), best, "", teach)
        expect_device(answer.pick_device(None), best, "None", teach)


@check("solved", teach=ALONE)
def falls_back_to_the_cpu(answer: Answer, draw: Draw) -> None:
    for built_for in (False, True):
        with pretend_device(), no_accelerator(built_for):
            expect_device(answer.pick_device(), "cpu", "", BUILT_FOR if built_for else ALONE)
            expect_device(answer.pick_device("cpu"), "cpu", "'cpu'", "The CPU is always here.")


@check("solved")
def a_wish_is_a_command(answer: Answer, draw: Draw) -> None:
    teach = "A wish comes first: whoever debugs on the CPU must get the CPU, whatever else is here."
    with pretend_device():
        best = torch.accelerator.current_accelerator().type
        for wanted in ("cpu", best, f"{best}:0"):
            got = answer.pick_device(wanted)
            expect_device(got, wanted.split(":")[0], repr(wanted), teach)
            index = f"pick_device({wanted!r}) returned {str(got)!r}: the index of the wish is lost"
            expect(":" not in wanted or got.index == 0, index, teach=teach)


@check("solved")
def refuses_what_is_not_here(answer: Answer, draw: Draw) -> None:
    with pretend_device():
        best = torch.accelerator.current_accelerator().type
        count = torch.accelerator.device_count()
        absent = [kind for kind in ABSENT if kind != best]
        beyond = (f"{best}:{count}", f"{best}:{count + 6}", f"{best}:-1", f"{best}:x", best.upper())
        for wanted in (absent[0], f"{absent[1]}:0", *beyond, *absent[2:], *NO_WISHES):
            expect_refusal(answer, wanted, ("cpu", best))
    for built_for in (False, True):
        with pretend_device(), no_accelerator(built_for):
            for wanted in (*absent[:2], f"{absent[0]}:0", best, f"{best}:0", *NO_WISHES):
                expect_refusal(answer, wanted, ("cpu",))


@check("solved")
def the_cpu_has_an_index_too(answer: Answer, draw: Draw) -> None:
    teach = 'There is one CPU, and "cpu:0" is its whole name: exactly that device was asked for.'
    with pretend_device():
        got = answer.pick_device("cpu:0")
        expect_device(got, "cpu", "'cpu:0'", teach)
        expect(got.index == 0, f"pick_device('cpu:0') returned {str(got)!r}", teach=teach)
