"""What an exercise's `grade.py` imports; documented with examples in docs/authoring-exercises.md."""

from torchstone.learn.grading.answers import Answer, guard, in_place, raw
from torchstone.learn.grading.budgets import (
    expect_no_waits,
    expect_peak_memory,
    expect_same_ops,
    format_bytes,
    watch_call,
)
from torchstone.learn.grading.callers import expect_no_trace, only_values_change
from torchstone.learn.grading.checks import check, expect, expect_raises, fail, note, skip
from torchstone.learn.grading.comparing import expect_close, expect_same, expect_view, looks_like, tolerances, when
from torchstone.learn.grading.draws import Draw
from torchstone.learn.grading.gradients import expect_gradcheck, expect_same_gradients
from torchstone.learn.grading.hooks import unheard
from torchstone.learn.grading.learning import expect_reaches
from torchstone.learn.grading.pictures import save_picture
from torchstone.learn.grading.portability import expect_portable, pretend_device
from torchstone.learn.grading.showing import show
from torchstone.learn.grading.speed import expect_fast, rests_on_a_clock
from torchstone.learn.grading.watching import Seen, watch

__all__ = [
    "Answer",
    "Draw",
    "Seen",
    "check",
    "expect",
    "expect_close",
    "expect_fast",
    "expect_gradcheck",
    "expect_no_trace",
    "expect_no_waits",
    "expect_peak_memory",
    "expect_portable",
    "expect_raises",
    "expect_reaches",
    "expect_same",
    "expect_same_gradients",
    "expect_same_ops",
    "expect_view",
    "fail",
    "format_bytes",
    "guard",
    "in_place",
    "looks_like",
    "note",
    "only_values_change",
    "pretend_device",
    "raw",
    "rests_on_a_clock",
    "save_picture",
    "show",
    "skip",
    "tolerances",
    "unheard",
    "watch",
    "watch_call",
    "when",
]
