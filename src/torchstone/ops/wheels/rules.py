"""What no table says: the few rules of MPS that a verdict on an operator needs.

Each was read in PyTorch's sources, and raised the agreement with PyTorch's CI on the half of the operators that rules
are developed on (`benchmarks/static_evidence.py`).
"""

NO_DOUBLE = frozenset({"float64", "complex128"})
"""Metal has no double: every tensor of these dtypes is refused when it is made."""

CPU_FALLBACKS = ("embedding_renorm_", "linalg_svd", "linalg_svd.U")
"""MPSFallback.mm registers the CPU for these, with a warning, as long as nothing native stands behind them."""

NATIVE_BEHIND = {"linalg_svd": "_linalg_svd", "linalg_svd.U": "_linalg_svd", "embedding_renorm_": "embedding_renorm_"}
"""The operator whose MPS kernel ends a fallback of `CPU_FALLBACKS`."""

_USERS_OF_SVD = ("svd", "linalg.svd", "linalg.pinv", "pinverse", "svd_lowrank", "pca_lowrank")
THROUGH_FALLBACK = dict.fromkeys(_USERS_OF_SVD, ("_linalg_svd", "linalg_svd"))
"""Functions that reach an operator only through a composite that is itself sent to the CPU: the operator that a trace
shows, and that composite. `linalg.svdvals`, `linalg.cond` and the norms call `_linalg_svd` directly, and fail."""

ON_MPS_INSTEAD = {
    "convolution": "_mps_convolution",
    "_convolution": "_mps_convolution",
    "convolution_overrideable": "_mps_convolution",
    "mkldnn_convolution": "_mps_convolution",
    "_slow_conv2d_forward": "_mps_convolution",
    "slow_conv3d_forward": "_mps_convolution",
    "slow_conv_transpose2d": "_mps_convolution_transpose",
    "slow_conv_transpose3d": "_mps_convolution_transpose",
    "slow_conv_dilated2d": "_mps_convolution",
    "slow_conv_dilated3d": "_mps_convolution",
    "convolution_backward": "mps_convolution_backward",
    "_scaled_dot_product_flash_attention_for_cpu": "_scaled_dot_product_attention_math_for_mps",
    "mkldnn_rnn_layer": "_lstm_mps",
    "mkldnn_rnn_layer_backward": "lstm_mps_backward",
}
"""Operators that a trace on the CPU shows, and the one that MPS runs in their place."""

FUNCTIONS_ON_MPS = {
    "nn.functional.linear": "linear",
    "nn.functional.max_pool1d": "max_pool2d",
    "nn.functional.max_pool2d": "max_pool2d",
    "nn.functional.conv1d": "_mps_convolution",
    "nn.functional.conv2d": "_mps_convolution",
    "nn.functional.conv3d": "_mps_convolution",
    "nn.functional.conv_transpose1d": "_mps_convolution_transpose",
    "nn.functional.conv_transpose2d": "_mps_convolution_transpose",
    "nn.functional.conv_transpose3d": "_mps_convolution_transpose",
    "nn.functional.scaled_dot_product_attention": "_scaled_dot_product_attention_math_for_mps",
    "nn.functional.rms_norm": "_fused_rms_norm",
}
"""Functions of torch whose composite MPS replaces whole: the parts that a trace elsewhere shows do not run there."""

ONLY_ON_CPU = ("_scaled_dot_product_flash_attention_for_cpu_backward", "_mkldnn_reshape", "mkldnn_linear")
"""Operators that a trace on the CPU shows and MPS never runs, with nothing to name in their place."""

OF_DENSE = "_to_sparse"
"""How operators begin that make a sparse tensor of a dense one, by whose key they are dispatched."""

COMPRESSED = frozenset({"sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"})
NO_COMPRESSED = "Could not run 'new_compressed_tensor' from the 'mps:0' device."
"""ATen/native/sparse/SparseCsrTensor.cpp, which lists CPU, CUDA, XPU and out-of-tree devices, as the assertion of every
such tensor does (ATen/SparseCsrTensorImpl.cpp): native_functions.yaml's entries for SparseCsrMPS are never reached."""
COMPRESSED_READ = (2, 14)
"""The newest torch in which that was read."""

COMPLEX_ALONE = ("_fft_c2c", "_fft_c2r")
"""Operators whose input is complex, by their base names: a kernel of them is written for complex64, as others for
float32 (`TORCH_CHECK(self.is_complex())` in ATen/native/SpectralOps.cpp)."""

ALWAYS_DOUBLE = ("double", "cdouble", "float_power")
"""Functions of torch that are documented to compute in float64 or complex128, whatever they are given."""

ALSO_SAMPLED_AS = {"pow": ("square",)}
"""Operators, by their base names, that other functions of torch come down to: where CI sees those pass, not every call
of the operator fails (`square` is pow.Tensor_Scalar in ATen/native/UnaryOps.cpp)."""

SAMPLES_ELSEWHERE = ("normnuc",)
"""Samples of CI that never reach the operator that they are named after: a nuclear norm is `nuclear_norm` since 1.2."""

GRADIENT_DTYPES = ("float32", "float16")
"""The dtypes in which PyTorch's CI compares gradients on MPS (MPS_GRAD_DTYPES in its test_mps.py)."""
