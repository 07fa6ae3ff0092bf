"""Verdicts: the strongest source decides and is named, and what is only likely is never called a failure."""

from pathlib import Path

import msgspec
import pytest

from torchstone.errors import UserError
from torchstone.ops.wheels import Cell, Evidence, as_document, difference, evidence_for
from torchstone.ops.wheels.cells import FAILURES, TIERS
from torchstone.ops.wheels.evidence import computing_dtype
from torchstone.ops.wheels.facts import KeptRefusal, KernelFacts
from torchstone.ops.wheels.reading import gather


@pytest.fixture
def deep(wheel: Path) -> Evidence:
    return evidence_for("mps", torch=wheel, deep=True)


@pytest.fixture
def shallow(wheel: Path) -> Evidence:
    return evidence_for("mps", torch=wheel)


def said(cell: Cell) -> tuple[str, str]:
    return cell.verdict, cell.tier


def test_each_tier_speaks(deep: Evidence) -> None:
    assert said(deep.cell("aten::floor", "float32")) == ("ok", "ci-tables")
    assert said(deep.cell("aten::relu", "float16")) == ("ok", "metal-kernels")
    assert said(deep.cell("aten::_eigh", "float32")) == ("unsupported", "registrations")
    assert said(deep.cell("aten::relu", "complex64")) == ("dtype", "message")
    assert '"relu is not supported for complex on MPS"' in deep.cell("relu", "complex64").reason


def test_the_yaml_speaks_where_nothing_stronger_does(wheel: Path) -> None:
    facts = msgspec.structs.replace(gather(wheel), headers=None, ci=None, op_infos=())
    evidence = Evidence(facts, "mps")
    assert said(evidence.cell("relu")) == ("ok", "yaml")
    assert said(evidence.cell("_eigh")) == ("unsupported", "yaml")
    assert said(evidence.cell("relu", "float64")) == ("dtype", "message")


def test_the_headers_are_registrations(shallow: Evidence) -> None:
    assert said(shallow.cell("relu")) == ("ok", "registrations")


def test_an_absent_kernel_for_a_dtype_is_only_likely(deep: Evidence) -> None:
    cell = deep.cell("relu", "int64")
    assert (cell.verdict, cell.likely) == ("unknown", "dtype")
    assert "no proof" in cell.reason


def test_no_double_on_mps(deep: Evidence) -> None:
    assert said(deep.cell("relu", "float64")) == ("dtype", "ci-tables")
    assert said(deep.cell("relu", "complex128")) == ("dtype", "ci-tables")
    assert deep.cell("relu", "float64").reason.startswith("MPS has no float64")


def test_fallbacks_and_stubs(deep: Evidence, shallow: Evidence) -> None:
    assert deep.cell("embedding_renorm_").verdict == shallow.cell("embedding_renorm_").verdict == "falls_back"
    assert deep.cell("_slow_conv2d_forward").verdict == "unsupported"


def test_ci_marks_a_dtype(deep: Evidence) -> None:
    assert said(deep.cell("floor", "int64")) == ("dtype", "ci-tables")


def test_a_composite_over_a_missing_operator(deep: Evidence, shallow: Evidence) -> None:
    for evidence in (deep, shallow):
        cell = evidence.cell("eigh")
        assert said(cell) == ("unsupported", "ci-tables")
        assert "_eigh" in cell.reason


def test_a_composite_of_which_nothing_speaks_is_unknown(shallow: Evidence) -> None:
    cell = shallow.cell("shrink")
    assert (cell.verdict, cell.likely) == ("unknown", "ok")


def test_a_structured_operator_stands_on_its_out_form(wheel: Path) -> None:
    facts = gather(wheel)
    assert Evidence(facts, "mps").cell("qr.out").verdict == "ok"  # registered from Python
    without = Evidence(msgspec.structs.replace(facts, python=()), "mps")
    assert without.cell("qr").verdict == "unsupported"
    assert "qr.out" in without.cell("qr").reason


def test_a_generated_overload_stands_on_its_source(deep: Evidence) -> None:
    assert deep.cell("_eigh.out").verdict == "unsupported"
    assert "_eigh.out stands on _eigh" in deep.cell("_eigh.out").reason


def test_backward(deep: Evidence) -> None:
    assert deep.cell("_eigh", "float32", "backward").verdict == "unsupported"
    assert said(deep.cell("floor", "float32", "backward")) == ("ok", "ci-tables")
    assert deep.cell("floor", "float16", "backward").likely == "unsupported"
    assert deep.cell("relu", "int64", "backward").verdict == "dtype"
    assert deep.cell("relu", "float32", "backward").verdict == "unknown"  # threshold_backward is not in this yaml


def test_a_backward_pass_is_no_likelier_than_its_forward_call(wheel: Path) -> None:
    facts = gather(wheel)
    made = {"made": ("CompositeImplicitAutograd",), "made_ex": ("CPU", "CUDA")}
    facts = msgspec.structs.replace(facts, keys={**facts.keys, **made})
    evidence = Evidence(facts, "mps")
    forward, backward = (evidence.cell("made", "float32", way) for way in ("forward", "backward"))
    assert (forward.verdict, forward.likely) == (backward.verdict, backward.likely) == ("unknown", "unsupported")
    assert "made may call made_ex, which is missing" in forward.reason
    assert backward.reason == forward.reason


def test_backward_over_a_missing_operator(wheel: Path) -> None:
    facts = msgspec.structs.replace(gather(wheel), python=())
    cell = Evidence(facts, "mps").cell("shrink", "float32", "backward")
    assert cell.verdict == "unsupported"
    assert "its backward pass calls qr" in cell.reason


def test_other_devices_by_the_yaml_and_the_claims_of_ci(wheel: Path) -> None:
    cuda, cpu, xpu = (evidence_for(name, torch=wheel) for name in ("cuda:0", "cpu", "xpu"))
    assert said(cuda.cell("relu")) == ("ok", "yaml")
    assert said(cpu.cell("floor", "float16")) == ("ok", "ci-tables")
    assert cpu.cell("floor", "bfloat16").verdict == "dtype"
    assert cuda.cell("embedding_renorm_").verdict == "unsupported"
    assert xpu.cell("relu").verdict == "unknown"
    assert "torch-xpu-ops" in xpu.cell("relu").reason


def test_an_operator_that_torch_lacks_is_unknown(deep: Evidence) -> None:
    assert deep.cell("aten::nope").verdict == "unknown"
    assert deep.cell("aten::nope", "float32", "backward").reason == deep.cell("aten::nope").reason


def test_a_float64_of_a_trace_is_only_likely_unless_asked_for(deep: Evidence) -> None:
    seen = deep.call("aten::relu", ["float64"], ["float64"])
    assert (seen.verdict, seen.likely) == ("unknown", "dtype")
    assert deep.call("aten::relu", ["float64"], ["float64"], requested=["float64"]).verdict == "dtype"


def test_sparse_tensors_are_unknown(deep: Evidence) -> None:
    assert deep.call("relu", ["float32:sparse_coo"]).verdict == "unknown"


def test_what_makes_a_sparse_tensor_of_a_dense_one_needs_a_kernel_for_that(wheel: Path) -> None:
    facts = gather(wheel)
    keys = {**facts.keys, "_to_sparse": ("CPU", "MPS"), "_to_sparse_csr": ("CPU",)}
    evidence = Evidence(msgspec.structs.replace(facts, keys=keys, headers=None, ci=None, op_infos=()), "mps")
    assert evidence.call("_to_sparse", ["float32"], ["float32:sparse_coo"]).verdict == "unknown"
    assert evidence.call("_to_sparse_csr", ["float32"], ["float32:sparse_csr"]).verdict == "unsupported"
    assert evidence.call("_to_sparse_csr", ["float32:sparse_coo"], ["float32:sparse_coo"]).verdict == "unknown"


@pytest.mark.parametrize(
    ("device", "torch", "verdict"),
    [("mps", "2.13.0", "unsupported"), ("mps", "2.99.0", "unknown"), ("cuda", "2.13.0", "unknown")],
)
def test_compressed_sparse_tensors_are_never_made_on_mps(wheel: Path, device: str, torch: str, verdict: str) -> None:
    facts = msgspec.structs.replace(gather(wheel), torch=torch, ci=None, op_infos=())
    found = Evidence(facts, device).call("mm", ["float32:sparse_csr", "float32"], ["float32"])
    assert (found.verdict, "new_compressed_tensor" in found.reason) == (verdict, verdict == "unsupported")


@pytest.mark.parametrize(
    ("inputs", "outputs", "dtype"),
    [
        (["int64", "float16"], ["float16"], "float16"),
        (["float32", "complex64"], ["complex64"], "complex64"),
        (["int64"], ["float32"], "float32"),
        (["int64"], ["bool"], "int64"),
        ([], ["int32"], "int32"),
        ([], [], "float32"),
    ],
)
def test_the_dtype_that_a_call_computes_in(inputs: list[str], outputs: list[str], dtype: str) -> None:
    assert computing_dtype(inputs, outputs) == dtype


def test_the_svd_exception_on_the_installed_torch() -> None:
    evidence = evidence_for("mps")
    if evidence.status_of("linalg_svd") != "fallback":
        pytest.skip("this torch has a native SVD")
    assert evidence.call("aten::_linalg_svd", ["float32"], within="linalg.svd").verdict == "falls_back"
    assert evidence.call("aten::_linalg_svd", ["float32"], within="linalg.svdvals").verdict == "unsupported"


def test_what_replaces_composites_on_the_installed_torch() -> None:
    evidence = evidence_for("mps")
    assert {"linear", "max_pool2d", "silu_backward"} <= evidence.overrides
    cell = evidence.function("nn.functional.linear", "float32")
    assert cell is not None
    assert cell.op == "aten::linear"
    assert evidence.function("nn.functional.relu", "float32") is None
    assert evidence.call("aten::convolution", ["float32"]).op == "aten::_mps_convolution"


def test_a_message_for_three_dimensions_holds_for_the_function_that_has_them(wheel: Path) -> None:
    facts = gather(wheel, deep=True)
    assert facts.library is not None
    message = "ConvTranspose 3D with BF16 or FP16 types is not supported on MPS"
    kernel = KernelFacts(kind="kernel", refusals=(KeptRefusal(message, ("float16",), True),))
    mps = {**facts.library.mps, "_mps_convolution_transpose": kernel}
    facts = msgspec.structs.replace(facts, library=msgspec.structs.replace(facts.library, mps=mps))
    evidence = Evidence(facts, "mps")
    three = evidence.function("nn.functional.conv_transpose3d", "float16")
    two = evidence.function("nn.functional.conv_transpose2d", "float16")
    assert three is not None
    assert two is not None
    assert (three.verdict, two.verdict) == ("dtype", "unknown")


def test_unknown_names_get_the_nearest(deep: Evidence) -> None:
    with pytest.raises(UserError, match="no operator 'flor'") as error:
        deep.matching(["flor"])
    assert "floor" in error.value.hint
    with pytest.raises(UserError, match="no dtype 'flaot32'") as error:
        list(deep.cells(dtypes=["flaot32"]))
    assert "float32" in error.value.hint
    with pytest.raises(UserError, match="say nothing of the device 'tpu'"):
        evidence_for("tpu")


def test_the_document_has_the_promised_shape(deep: Evidence) -> None:
    document = as_document(deep, ["re*", "aten::qr"], ["float32", "torch.int64"])
    assert (document["device"], document["torch"]) == ("mps", "2.13.0")
    promised = {"op", "variant", "dtype", "direction", "verdict", "tier", "reason"}
    assert all(promised <= set(cell) for cell in document["cells"])
    assert {(cell["op"], cell["variant"]) for cell in document["cells"]} == {
        ("aten::relu", ""),
        ("aten::qr", ""),
        ("aten::qr", "out"),
    }
    assert {cell["direction"] for cell in document["cells"] if cell["dtype"] == "int64"} == {"forward"}


def test_every_cell_of_the_installed_torch_is_whole() -> None:
    cells = list(evidence_for("mps").cells(dtypes=["float32", "complex64"]))
    assert len(cells) > 10_000
    assert all(cell.tier in TIERS and cell.reason for cell in cells)
    assert not any(cell.verdict in FAILURES and cell.likely for cell in cells)


def test_the_difference_between_two_torches(wheel: Path) -> None:
    facts = gather(wheel)
    more = {**facts.keys, "_eigh": (*facts.keys["_eigh"], "MPS"), "new": ("MPS",)}
    fewer = {name: keys for name, keys in facts.keys.items() if name != "shrink"}
    after = Evidence(msgspec.structs.replace(facts, torch="2.14.0", keys=more), "mps")
    before = Evidence(facts, "mps")
    change = difference(before, after)
    assert change.gained == ("aten::_eigh",)
    assert (change.lost, change.new) == ((), ("aten::new",))
    back = difference(after, Evidence(msgspec.structs.replace(facts, keys=fewer), "mps"))
    assert back.lost == ("aten::_eigh",)
    assert back.removed == ("aten::new", "aten::shrink")
    with pytest.raises(UserError, match="two devices"):
        difference(before, Evidence(facts, "cuda"))
