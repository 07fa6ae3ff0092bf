"""Grades kernel_add: torch's sum as the reference; addresses are looked at in Triton's interpreter."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_portable, expect_same, looks_like
from torchstone.learn.grading.kernels import watch_kernels

PROMISES = {
    "A GPU runs thousands of *programs* at once, each of": None,
    "There may also be no elements at all.": "sums_are_right",
    "Where there is no GPU that Triton knows, your kernel": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

seen = watch_kernels()

FORBIDDEN = dict.fromkeys(
    (
        "add",
        "add_",
        "sub",
        "sub_",
        "__add__",
        "__iadd__",
        "sum",
        "lerp",
        "addcmul",
        "baddbmm",
        "addmm",
        "numpy",
        "stack",
        "rsub",
        "index_add",
        "index_add_",
        "scatter_add",
        "scatter_add_",
        "addcdiv",
        "mm",
        "matmul",
        "einsum",
        "cumsum",
        "foreach_add",
        "foreach_add_",
        "foreach_sub",
        "foreach_sub_",
        "nansum",
        "mean",
        "bmm",
        "mv",
        "dot",
        "addmv",
        "addbmm",
        "addr",
        "index_put_",
        "index_put",
        "put_",
    ),
    "The kernel is to do the adding: on the host only make the result and launch.",
)
SIZES: list[tuple[int, ...]] = [
    (1,),
    (2,),
    (5,),
    (64,),
    (3, 7),
    (1023,),
    (1024,),
    (1025,),
    (2, 3, 401),
    (0,),
    (),
    (4, 0),
]
DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
)
TEACH = "Program p adds the elements p · BLOCK … (p + 1) · BLOCK − 1; together the programs must cover all n, once."


def pair(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    return draw.normal(*shape, scale=30), draw.normal(*shape, scale=30)


def reference(x: Tensor, y: Tensor) -> Tensor:
    return x + y


def expect_sum(answer: Answer, x: Tensor, y: Tensor) -> None:
    known = [
        looks_like(lambda x, y: x, "That is x alone: y was not added."),
        looks_like(lambda x, y: x - y, "That is the difference."),
    ]
    expect_same(answer.add, reference, x, y, teach=TEACH, diagnose=known if x.numel() else ())
    seen.expect_inside()


@check("solved")
def a_kernel_is_launched(answer: Answer, draw: Draw) -> None:
    x, y = pair(draw, 4)
    seen.expect_launched("add", lambda: answer.add(x, y))


@check("solved")
def sums_are_right(answer: Answer, draw: Draw) -> None:
    for case in draw.cases(pair, SIZES):
        expect_sum(answer, *case)
    expect_sum(answer, *pair(draw, 5003))  # many programs
    for case in draw.cases(pair, [(3,), (600,)], dtypes=DTYPES):
        expect_sum(answer, *case)
    x, y = (draw.integers(20, low=-(2**61), high=2**61, dtype=torch.int64) for _ in range(2))
    expect_same(answer.add, reference, x, y, teach="No float holds such numbers: add in the dtype that was loaded.")


@check("solved", teach="A kernel walks through memory as it lies: .contiguous() first, or hand it the strides.")
def strides_do_not_matter(answer: Answer, draw: Draw) -> None:
    teach = "A kernel walks through memory as it lies: use .contiguous() first, or hand it the strides."
    for case in draw.cases(pair, [(3,), (2, 3), (5, 67)], layouts=("strided", "transposed")):
        expect_same(answer.add, reference, *case, teach=teach)
        seen.expect_inside()
    for x, y in draw.cases(pair, [(2, 3), (5, 67)]):
        transposed = y.mT.contiguous().mT
        expect_same(answer.add, reference, x, transposed, teach=teach)
        expect_same(answer.add, reference, transposed, x, teach=teach)
        expect_same(answer.add, reference, x[1:], transposed[1:], teach=teach)
        expect_same(answer.add, reference, x[:1].expand_as(y), y, teach=teach)
        expect_same(answer.add, reference, y[..., :1].expand_as(x), x[:1].expand_as(y), teach=teach)
        expect_same(answer.add, reference, x, x, teach=TEACH)
        seen.expect_inside()


@check("solved")
def other_devices_work_too(answer: Answer, draw: Draw) -> None:
    teach = "The result lies where the inputs lie: empty_like(x), never a device by name."
    expect_portable(answer.add, reference, lambda draw: pair(draw, 3, 5), teach=teach)
