"""The deep reader, on a library made of real bytes: sections, instructions, registrations, kernels, messages."""

from pathlib import Path

import pytest
from tests.making_macho import Library, block, kernel, make_metal_library, registering, text
from tests.making_wheels import REFUSAL, make_library

from torchstone.ops.wheels.instructions import find_references
from torchstone.ops.wheels.kernel_dtypes import split_name
from torchstone.ops.wheels.library import read_library
from torchstone.ops.wheels.macho import MachO
from torchstone.ops.wheels.metallib import read_function_names
from torchstone.ops.wheels.refusals import find_refusals
from torchstone.ops.wheels.registrations import find_registrations
from torchstone.ops.wheels.walking import Walk, qualified_name


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return make_library().write(tmp_path / "libtorch_cpu.dylib")


def test_registrations_are_told_apart(library: Path) -> None:
    found = {(one.key, one.operator): one.kind for one in find_registrations(MachO(library))}
    assert found["MPS", "relu"] == "kernel"
    assert found["MPS", "embedding_renorm_"] == "cpu fallback"
    assert found["MPS", "_slow_conv2d_forward"] == "error stub"
    assert found["CPU", "qr.out"] == "kernel"
    assert len(found) == 7


def test_a_kept_fallback_pointer_marks_the_later_operators_too(tmp_path: Path) -> None:
    made = make_library()
    first, second = made.functions[block("MPS", 2)], text("linalg_svd")
    made.functions[block("MPS", 2)] = [*first, second, first[-1]]
    found = {one.operator: one.kind for one in find_registrations(MachO(made.write(tmp_path / "kept.dylib")))}
    assert found["embedding_renorm_"] == found["linalg_svd"] == "cpu fallback"
    assert found["relu"] == "kernel"


def test_kernels_dtypes_and_refusals(library: Path) -> None:
    facts = read_library(library)
    relu = facts.mps["relu"]
    assert relu.dtypes == ("float16", "float32")
    assert [one.message for one in relu.refusals] == [REFUSAL]
    assert relu.refusals[0].dtypes == ("complex32", "complex64")
    assert facts.mps["floor"].uses_graph
    assert not facts.mps["floor"].dtypes
    assert facts.calls["shrink"] == ("relu",)
    assert facts.calls["eigh"] == ("_eigh",)


def test_a_library_that_is_cut_short_is_refused(library: Path, tmp_path: Path) -> None:
    for size in (0, 10, 100, library.stat().st_size // 2):
        part = tmp_path / f"part{size}.dylib"
        part.write_bytes(library.read_bytes()[:size])
        with pytest.raises(ValueError, match=r"cut short|empty|no 64-bit"):
            read_library(part)


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "libtorch_cpu.so"
    path.write_bytes(b"\x7fELF" + bytes(200))
    with pytest.raises(ValueError, match="no 64-bit Mach-O"):
        MachO(path)


def test_a_library_without_compiled_kernels_is_refused(tmp_path: Path) -> None:
    made = Library(functions={block("MPS"): registering("relu", kernel("relu_mps"))})
    with pytest.raises(ValueError, match="no compiled Metal kernels"):
        read_library(made.write(tmp_path / "old.dylib"))


def test_a_library_without_registrations_is_refused(tmp_path: Path) -> None:
    made = Library(functions={kernel("relu_mps"): []}, metal=("relu_float",))
    with pytest.raises(ValueError, match="no symbols of its operator registrations"):
        read_library(made.write(tmp_path / "stripped.dylib"))


def test_metal_library_names() -> None:
    data = make_metal_library(["softmax_float", "index_put_half_int"])
    assert read_function_names(data) == ["softmax_float", "index_put_half_int"]
    with pytest.raises(ValueError, match="no Metal library"):
        read_function_names(b"nothing at all, really")
    with pytest.raises(ValueError, match="cut short"):
        read_function_names(data[:50])


def test_a_call_forgets_the_pages_of_scratch_registers() -> None:
    adrp_x0, call, add_x0 = 0xB0000000, 0x94000000, 0x91004000
    words = b"".join(word.to_bytes(4, "little") for word in (adrp_x0, call, add_x0))
    assert [one.kind for one in find_references(words, 0x1000)] == ["call"]
    kept = words[:4] + words[8:]
    assert find_references(kept, 0x1000) == [("address", 0x2010)]


@pytest.mark.parametrize(
    ("name", "stem", "dtypes"),
    [
        ("softmax_float", "softmax", {"float32"}),
        ("index_put_half_int", "index_put", {"float16", "int32"}),
        ("cross_dense_float2", "cross", {"complex64"}),
        ("gather_int64_t", "gather", {"int64"}),
        ("reduce_4_bfloat", "reduce", {"bfloat16"}),
    ],
)
def test_kernel_names(name: str, stem: str, dtypes: set[str]) -> None:
    assert split_name(name) == (stem, dtypes)


def test_a_message_counts_only_where_its_function_is_the_operators_or_of_mps() -> None:
    message = "histogram only supports floating types"
    assert find_refusals("histc", Walk(strings={message: {"at::native::mps::histogram_kernel"}}))
    assert find_refusals("histc", Walk(strings={message: {"at::native::histc_out"}}))
    assert not find_refusals("histc", Walk(strings={message: {"at::native::check_arguments"}}))


def test_a_message_on_sizes_holds_for_some_arguments_only() -> None:
    message = "ConvTranspose 3D with BF16 or FP16 types is not supported on MPS"
    (refusal,) = find_refusals("_mps_convolution_transpose", Walk(strings={message: {"at::native::mps::conv"}}))
    assert refusal.conditional
    assert refusal.dtypes == ("bfloat16", "float16")


def test_qualified_names() -> None:
    assert qualified_name(kernel("relu_mps")) == "at::native::mps::relu_mps"
    assert qualified_name("_main") == "_main"
