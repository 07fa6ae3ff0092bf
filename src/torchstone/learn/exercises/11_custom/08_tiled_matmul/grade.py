"""Grades tiled_matmul: float64 as the reference; addresses and accesses are looked at in Triton's interpreter."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like, note, raw, watch, when
from torchstone.learn.grading.kernels import watch_kernels

PROMISES = {
    "A product of two n × n matrices reads each number n times": None,
    "Whoever fetches it from memory each time is as slow as memory": None,
    "All fast matrix products, and all of attention, are built so": None,
    "matmul(a, b) returns a @ b for (m, k) and (k, n), both float32": "a_kernel_is_launched",
    "it goes along k in steps of BLOCK: loads a tile of a and a tile": "halves_are_added_in_float32",
    "Round once, at the end": "halves_are_added_in_float32",
    "m, n and k are seldom multiples of the block: masks for what is": "products_are_right",
    "the kernel is given the strides of both: a transposed matrix is": "strides_do_not_matter",
    "Where there is no GPU that Triton knows, the kernel runs in": None,
    "Lean: tiles: for a product of 48 × 40 × 56 at most 100 loads": "work_is_done_in_tiles",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

seen = watch_kernels()

FORBIDDEN = dict.fromkeys(
    ("mm", "matmul", "__matmul__", "bmm", "addmm", "baddbmm", "einsum", "linear", "tensordot", "mv", "mul", "numpy"),
    "The kernel is to do the product: on the host only make the result and launch.",
)
SIZES = [(1, 1, 1), (2, 3, 4), (16, 16, 16), (17, 16, 16), (16, 17, 16), (16, 16, 17), (5, 40, 33)]
LEAN = (48, 40, 56)
ACCESSES = 100
HALF = torch.float16


def reference(a: Tensor, b: Tensor) -> Tensor:
    return (a.double() @ b.double()).to(a.dtype)


def pair(draw: Draw, m: int, k: int, n: int) -> tuple[Tensor, Tensor]:
    return draw.normal(m, k), draw.normal(k, n)


def first_tile(a: Tensor, b: Tensor) -> Tensor:
    return reference(a[:, :16], b[:16])


def expect_product(answer: Answer, a: Tensor, b: Tensor, teach: str) -> None:
    known = [looks_like(first_tile, "That is the first tile of k alone: go on along k, and add up.")]
    undefined = when(
        lambda got, expected: got.isnan().any(),
        "What a mask leaves out is undefined unless other says what it is: other=0.0, in both loads.",
    )
    expect_same(answer.matmul, reference, a, b, teach=teach, diagnose=[undefined, *known] if a.shape[1] else known)
    seen.expect_inside()


@check("solved")
def a_kernel_is_launched(answer: Answer, draw: Draw) -> None:
    a, b = pair(draw, 2, 2, 2)
    seen.expect_launched("matmul", lambda: answer.matmul(a, b))


@check("solved")
def products_are_right(answer: Answer, draw: Draw) -> None:
    teach = "Tile (i, j) of the result is the sum over all steps along k of tile (i, s) of a times tile (s, j) of b."
    for a, b in draw.cases(pair, SIZES):
        expect_product(answer, a, b, teach)
    a, b = pair(draw, 17, 18, 20)
    a[1, 2] = b[3, 5] = torch.nan
    expect_same(answer.matmul, reference, a, b, teach="What is no number in a row of a or a column of b stays there.")
    seen.expect_inside()
    for size in ((3, 0, 2), (0, 3, 2), (3, 2, 0)):
        expect_product(answer, *pair(draw, *size), "A sum over no numbers is 0, and a result may be empty.")


@check("solved")
def strides_do_not_matter(answer: Answer, draw: Draw) -> None:
    teach = "The next row is a.stride(0) away and the next column a.stride(1); b has strides of its own."
    for a, b in draw.cases(pair, [(2, 3, 4), (18, 5, 17)], layouts=("strided", "transposed")):
        expect_product(answer, a, b, teach)
    for a, b in draw.cases(pair, [(2, 3, 4), (18, 5, 17)], repeats=1):
        expect_product(answer, a, b.mT.contiguous().mT, teach)
        expect_product(answer, a.mT.contiguous().mT, b, teach)
        expect_product(answer, a[1:], b[:, 1:], teach)
        expect_product(answer, a[:1].expand_as(a), b[:, :1].expand_as(b), teach)


@check("solved")
def halves_are_added_in_float32(answer: Answer, draw: Draw) -> None:
    """One large product first, then many small ones: in half precision each of them is lost."""
    k = 640
    a = torch.full((3, k), 0.01)
    a[:, 0] = 4096.0
    b = torch.ones(k, 2)
    b[:, 1] += 0.25
    teach = "In float16, 4096 + 0.5 is 4096 again: keep the accumulator in float32 and round once, at the end."
    expect_same(answer.matmul, reference, draw.place(a, HALF), draw.place(b, HALF), teach=teach, rtol=1e-3)
    wide = "A product of two halves may be beyond float16 though the sum is not: it is float32 from the start."
    a, b = torch.full((3, 128), 300.0), torch.full((128, 2), 250.0)
    b[64:] *= -1
    b[0] += 4
    expect_same(answer.matmul, reference, draw.place(a, HALF), draw.place(b, HALF), teach=wide)
    for case in draw.cases(pair, [(2, 3, 4), (17, 20, 5)], dtypes=(HALF,)):
        expect_same(answer.matmul, reference, *case, teach="The result has the dtype of its inputs.")


@check("lean")
def work_is_done_in_tiles(answer: Answer, draw: Draw) -> None:
    for dtype in (torch.float32, HALF):
        for a, b in draw.cases(pair, [LEAN], dtypes=(dtype,), repeats=1):
            expect_lean(answer, draw, a.mT.contiguous().mT, b.mT.contiguous().mT)  # a copy of either would be seen
        for a, b in draw.cases(pair, [LEAN], dtypes=(dtype,), layouts=("strided",), repeats=1):
            expect_lean(answer, draw, a, b)


def expect_lean(answer: Answer, draw: Draw, a: Tensor, b: Tensor) -> None:
    before, launches = seen.accesses, seen.launches
    with watch() as host:
        raw(answer.matmul)(a, b)
    accesses = seen.accesses - before
    result = LEAN[0] * LEAN[2] * a.element_size()
    expect(
        accesses <= ACCESSES,
        f"the kernel loads and stores {accesses} blocks, and {ACCESSES} are enough",
        teach="Each program makes a whole tile of the result, from whole tiles of a and b.",
    )
    # Elsewhere than on the CPU it is the interpreter that copies.
    expect(
        draw.device.type != "cpu" or host.peak_bytes <= 1.5 * result,
        f"the host holds {host.peak_bytes} bytes; the result has {result}",
        teach="The strides tell the kernel where a transposed matrix lies: no .contiguous() is needed.",
    )
    note(f"{accesses} loads and stores of blocks in {seen.launches - launches} launch")


@check("lean")
def a_program_makes_a_tile(answer: Answer, draw: Draw) -> None:
    block = answer.BLOCK
    for m, k, n in ((16, 4, 16), (40, 3, 70)):
        before = seen.programs
        raw(answer.matmul)(*pair(draw, m, k, n))
        programs, tiles = seen.programs - before, -(-m // block) * -(-n // block)
        expect(
            programs == tiles or draw.device.type not in ("cpu", "pretend"),
            f"{programs} programs make the result of {m} × {n}, which has {tiles} tiles of {block} × {block}",
            teach="Programs run at the same time, each on its own tile: one that makes several keeps the others idle.",
        )
