"""The interpreter of Metal: C's arithmetic, control flow, pointers, and what it refuses in words."""

import numpy as np
import pytest
import torch

from torchstone.learn.grading.metal import Library, MetalWatch
from torchstone.learn.grading.metal_language import parse

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


def run(body: str, *args: object, parameters: str = "", threads: int = 1, before: str = "") -> torch.Tensor:
    """What a kernel with this body writes into `out`, four floats."""
    source = (
        f"{HEAD}{before}\nkernel void f(device float* out{parameters}, uint i [[thread_position_in_grid]]) {{ {body} }}"
    )
    out = torch.zeros(4)
    Library(parse(source), MetalWatch()).f(out, *args, threads=threads)
    return out


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 / 2.0", 3.5),
        ("1 + 2 * 3 - 4", 3),
        ("(1 + 2) * 3", 9),
        ("2 < 3 && 3 < 2 ? 5 : 6", 6),
        ("uint(0) - 1 == 4294967295u", 1),
        ("1 << 4 | 3", 19),
        ("(int)2.9f", 2),
        ("static_cast<float>(7) / 2", 3.5),
        ("metal::max(1, 2) + fabs(-0.5f)", 2.5),
        ("0x10", 16),
        ("1e1f", 10),
        (".5", 0.5),
        ("!true || false", 0),
        ("clamp(5.0f, 0.0f, 2.0f)", 2),
        ("~0", -1),
    ],
)
def test_arithmetic_is_that_of_c(expression: str, value: float) -> None:
    assert run(f"out[0] = {expression};")[0].item() == value


def test_floats_have_32_bits() -> None:
    assert run("float big = 16777216.0f; out[0] = big + 1.0f - big;")[0].item() == 0


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (
            "float s = 0; for (int j = 0; j < 4; j++) { if (j == 1) continue; if (j == 3) break; s += j; } out[0] = s;",
            2,
        ),
        ("int n = 3; float s = 0; while (n --> 0) s += n; out[0] = s;", 3),
        ("float x = 1; { float x = 5; x += 1; } out[0] = x;", 1),
        ("device float* p = out + 1; *p = 2; p -= 1; p[0] = p[1]++ + 1;", 3),
        ("out[0] = 1; if (i == 0) return; out[0] = 2;", 1),
        ("int a = 1, b = 2; a += b *= 3; out[0] = a;", 7),
        ("int k = 0; out[k++] = 1; out[0] += ++k;", 3),
    ],
)
def test_statements(body: str, value: float) -> None:
    assert run(body)[0].item() == value


def test_functions_constants_and_definitions() -> None:
    before = "#define TWO 2\nconstant float THREE = 3;\ninline float add(float a, int b) { return a + b; }"
    assert run("out[0] = add(THREE, TWO + 0.9);", before=before)[0].item() == 5


def test_threads_have_numbers() -> None:
    assert run("out[i] = i;", threads=4).tolist() == [0, 1, 2, 3]


def test_buffers_are_bound_in_order() -> None:
    x = torch.arange(6.0).reshape(2, 3).t()
    parameters = ", device const float* x, constant long& n, constant float& a"
    # The memory, not the turned view.
    assert run("out[i] = x[i + n] * a;", x, 1, 0.5, parameters=parameters, threads=2).tolist() == [0.5, 1, 0, 0]


def test_strays_are_seen() -> None:
    seen = MetalWatch()
    library = Library(parse("kernel void f(device float* x, uint i [[thread_position_in_grid]]) { x[i] = 1; }"), seen)
    library.f(torch.zeros(2), threads=3)
    assert seen.outside == ["writes element 2 of 'x', which has 2"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("kernel void f(device double* x) {}", "no double"),
        ("kernel void f(device float* x) { x[0] = 1.0 }", "';' was expected"),
        ("kernel void f(device float* x) { x[0] = y; }", "'y' is not declared"),
        ("kernel void f(device float* x) { x[0] = sinus(1.0f); }", "no function 'sinus'"),
        ("kernel void f(device float* x) { float a[3]; }", "arrays"),
        ("template <typename T> kernel void f(device T* x) {}", "'template' is not known"),
        ("kernel void f(device float* x) { int a = 1; int a = 2; }", "declared twice"),
        ("kernel void f(device float* x) {", "} is missing"),
        ("kernel void f(device float4* x) {}", "'float4' is not known"),
        ("kernel void f(device float* x) { 1 = 2; }", "nothing can be written"),
        ("#if 1\nkernel void f(device float* x) {}\n#endif", "only #include and #define"),
        ("kernel void f(device float* x) { x[0] = $; }", "not understood"),
    ],
)
def test_what_is_no_metal_is_refused(source: str, said: str) -> None:
    with pytest.raises(SyntaxError) as refused:
        parse(source)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((torch.zeros(2, dtype=torch.int64), 1), "read its bits"),
        ((torch.zeros(2), 1.0), "bits don't match"),
        ((torch.zeros(2),), "has 2 buffers"),
        ((3, 1), "is a pointer"),
        ((torch.zeros(2, dtype=torch.complex64), 1), "complex64"),
    ],
)
def test_wrong_arguments_are_refused(args: tuple[object, ...], said: str) -> None:
    library = Library(parse("kernel void f(device float* x, constant long& n) { x[0] = n; }"), MetalWatch())
    with pytest.raises(TypeError) as refused:
        library.f(*args, threads=1)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("float a; out[0] = a;", RuntimeError, "before anything was written"),
        ("while (true) { }", RuntimeError, "does not end"),
        ("out[0] = 1 / int(out[1]);", ZeroDivisionError, "divides a whole number by zero"),
        ("out[0] = 1.0f % 2;", SyntaxError, "whole numbers"),
    ],
)
def test_mistakes_while_running(body: str, kind: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchstone.learn.grading.metal_running.LONGEST_LOOP", 10)
    with pytest.raises(kind) as raised:
        run(body)
    assert said in str(raised.value)


def test_constants_cannot_be_written() -> None:
    with pytest.raises(SyntaxError, match="is const"):
        run("x[0] = 1;", torch.zeros(1), parameters=", device const float* x")


def test_functions_of_metal_are_rounded_once() -> None:
    x = np.float32(0.3)
    assert run("out[0] = exp(0.3f);")[0].item() == np.float32(np.exp(np.float64(x)))
