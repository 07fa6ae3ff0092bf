"""Preloaded for exercises with Triton kernels: its interpreter has to be chosen before Triton is imported."""

import contextlib
import os

os.environ["TRITON_INTERPRET"] = "1"
with contextlib.suppress(ImportError):  # without it the exercise says what to install
    import triton.language  # noqa: F401
