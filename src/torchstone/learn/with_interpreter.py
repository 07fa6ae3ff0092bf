"""Preloaded for exercises with Triton kernels: its interpreter has to be chosen before Triton is imported.

Gluon, its newer language, is what the first launch would import.
"""

import contextlib
import os

os.environ["TRITON_INTERPRET"] = "1"
with contextlib.suppress(ImportError):  # without it the exercise says what to install
    import triton.experimental.gluon
    import triton.language  # noqa: F401
