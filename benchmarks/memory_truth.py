"""Is the peak memory that we say the true one? Against a count of every malloc, and the prediction against that too.

The truth is not ours: a small C library, loaded before everything else, counts each allocation and release of the
process between two marks. It sees tensors, operators' own buffers and everything else, and knows nothing of torch. Each
case (a model, a batch, inference or a training step) runs in a fresh process for the truth and in another for ours.

Says the share by which ours misses the truth of what a call adds (the harder question: the weights are known), and by
which the prediction misses the whole peak; and for the pretend device, whether its own counter,
the dispatcher and ours agree. Prints a JSON line last. `--quick`: the small cases only.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.measuring.memory import MemoryPeak, measure_memory
from torchstone.measuring.will_it_fit import predict_peak
from torchstone.models.zoo import load_zoo_model

MODELS = ("resnet50", "bert_base", "gpt2_small", "lstm")
BATCHES = (1, 8)
OURS_WITHIN, PREDICTED_WITHIN, COUNTER_WITHIN = 0.03, 0.15, 0.01
LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic long now, highest;
static char early[65536];  /* what dlsym itself asks for before the real calloc is known */
static size_t early_used;

static void add(void *block) {
    if (!block) return;
    long held = atomic_fetch_add(&now, (long)malloc_usable_size(block)) + (long)malloc_usable_size(block);
    long seen = atomic_load(&highest);
    while (held > seen && !atomic_compare_exchange_weak(&highest, &seen, held)) {}
}
static int is_early(void *block) { return (char *)block >= early && (char *)block < early + sizeof early; }
static void take(void *block) { if (block) atomic_fetch_sub(&now, (long)malloc_usable_size(block)); }
#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)

void *malloc(size_t size) { REAL(malloc); void *block = real(size); add(block); return block; }
void *calloc(size_t count, size_t size) {
    static __typeof__(calloc) *real; static int looking;
    if (!real && !looking) { looking = 1; real = dlsym(RTLD_NEXT, "calloc"); looking = 0; }
    if (!real) { void *block = early + early_used; early_used += (count * size + 15) & ~15UL; return block; }
    void *block = real(count, size); add(block); return block;
}
void *realloc(void *old, size_t size) {
    REAL(realloc);
    take(old); void *block = real(old, size);
    add(block ? block : size ? old : NULL);
    return block;
}
void free(void *block) { REAL(free); if (is_early(block)) return; take(block); real(block); }
int posix_memalign(void **place, size_t alignment, size_t size) {
    REAL(posix_memalign); int failed = real(place, alignment, size); if (!failed) add(*place); return failed;
}
void *aligned_alloc(size_t alignment, size_t size) {
    REAL(aligned_alloc); void *block = real(alignment, size); add(block); return block;
}
void *memalign(size_t alignment, size_t size) {
    REAL(memalign); void *block = real(alignment, size); add(block); return block;
}
void truth_begin(void) { atomic_store(&highest, atomic_load(&now)); }
long truth_now(void) { return atomic_load(&now); }
long truth_peak(void) { return atomic_load(&highest); }
"""


class Lstm(nn.Module):
    """Two layers over words, and a word out at each place."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, 256)
        self.layers = nn.LSTM(256, 512, 2, batch_first=True)
        self.head = nn.Linear(512, 1000)

    def forward(self, tokens: Tensor) -> Tensor:
        hidden, _ = self.layers(self.words(tokens))
        output: Tensor = self.head(hidden)
        return output


def build(name: str, batch: int) -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    if name == "lstm":
        return Lstm(), (torch.arange(batch * 128).reshape(batch, 128) % 1000,), {}
    module = load_zoo_model(name)
    args, kwargs = module.example_inputs(batch, 0)
    return module.build(0), args, kwargs


def total(output: Any) -> Tensor:
    """A loss of everything in an output."""
    if isinstance(output, Tensor):
        return output.sum() if output.is_floating_point() else torch.zeros(())
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (tuple, list)) else ()
    return sum((total(part) for part in parts), torch.zeros(()))


def prepare(name: str, batch: int, train: bool, device: str = "cpu") -> tuple[Callable[[], Any], nn.Module, Any, Any]:
    """The call, the model, its optimizer and its inputs."""
    model, args, kwargs = build(name, batch)
    model = model.train(train).to(device)
    args, kwargs = tuple(one.to(device) for one in args), {key: one.to(device) for key, one in kwargs.items()}
    if not train:

        def infer() -> Any:
            with torch.inference_mode():
                return model(*args, **kwargs)

        return infer, model, None, (args, kwargs)
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        total(model(*args, **kwargs)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return step, model, optimizer, (args, kwargs)


def count_mallocs(name: str, batch: int, train: bool) -> dict[str, int]:
    """In a process where the library is loaded: the peak of the third call above what was held before it."""
    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    for function in ("truth_now", "truth_peak"):
        getattr(library, function).restype = ctypes.c_long
    call, *_ = prepare(name, batch, train)
    for _ in range(2):
        call()
    library.truth_begin()
    before = library.truth_now()
    call()
    return {"above": library.truth_peak() - before}


def measure_ours(name: str, batch: int, train: bool) -> dict[str, Any]:
    call, model, optimizer, inputs = prepare(name, batch, train)
    found = measure_memory(call, model=model, optimizer=optimizer)
    predicted = predict_peak(model, inputs, train=train, optimizer=torch.optim.Adam if train else None, loss=total)
    return {"ours": describe(found), "predicted": describe(predicted)}


def measure_pretend() -> dict[str, Any]:
    """On the pretend device: its counter against the dispatcher's count, for a training step."""
    import torchstone.pretend as pretend

    pretend.install()
    call, model, optimizer, _ = prepare("lstm", 2, True, "pretend")
    found = measure_memory(call, model=model, optimizer=optimizer, device="pretend")
    assert found.device_bytes is not None
    return {"counter": found.device_bytes, "dispatcher": found.dispatcher_bytes, "ours": describe(found)}


def describe(peak: MemoryPeak) -> dict[str, Any]:
    return {**peak.facts(), "held_bytes": peak.peak_bytes - peak.above_bytes}


def compile_library(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("error: the truth is counted by a C library: install a C compiler")
    source, library = folder / "truth.c", folder / "truth.so"
    source.write_text(LIBRARY, encoding="ascii")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def ask(what: str, *arguments: object, preload: Path | None = None) -> dict[str, Any]:
    """Run this file for one case, in a fresh process."""
    variables = {**os.environ, **({"LD_PRELOAD": str(preload)} if preload else {})}
    command = [sys.executable, __file__, "--case", what, *map(str, arguments)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {what} {arguments} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def compare(name: str, batch: int, train: bool, library: Path) -> dict[str, Any]:
    truth = ask("truth", name, batch, int(train), preload=library)["above"]
    said = ask("ours", name, batch, int(train))
    ours, predicted = said["ours"], said["predicted"]
    true_peak = ours["held_bytes"] + truth
    row = {
        "model": name,
        "batch": batch,
        "train": train,
        "true_above_mib": round(truth / 2**20, 2),
        "our_above_mib": round(ours["above_bytes"] / 2**20, 2),
        "peak_mib": round(true_peak / 2**20, 1),
        "our_miss": round(ours["peak_bytes"] / true_peak - 1, 4),
        "our_miss_above": round(ours["above_bytes"] / truth - 1, 4),
        "predicted_miss": round(predicted["peak_bytes"] / true_peak - 1, 4),
    }
    print(row, file=sys.stderr, flush=True)
    return row


def run_case(what: str, arguments: list[str]) -> None:
    if what == "pretend":
        print(json.dumps(measure_pretend()))
        return
    name, batch, train = arguments
    function = count_mallocs if what == "truth" else measure_ours
    print(json.dumps(function(name, int(batch), train == "1")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--case", nargs="+")
    options = parser.parse_args()
    if options.case:
        run_case(options.case[0], options.case[1:])
        return
    models, batches = (("resnet50", "lstm"), (1,)) if options.quick else (MODELS, BATCHES)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_library(Path(folder))
        rows = [compare(name, batch, train, library) for name in models for batch in batches for train in (False, True)]
    on_pretend = ask("pretend")
    counter_miss = on_pretend["dispatcher"] / on_pretend["counter"] - 1
    ours, predicted = (max(abs(row[key]) for row in rows) for key in ("our_miss_above", "predicted_miss"))
    print(
        json.dumps(
            {
                "ours_miss_at_most": ours,
                "predicted_miss_at_most": predicted,
                "pretend_counter_miss": round(counter_miss, 4),
                "holds": ours <= OURS_WITHIN and predicted <= PREDICTED_WITHIN and abs(counter_miss) <= COUNTER_WITHIN,
                "rows": rows,
            }
        )
    )


if __name__ == "__main__":
    main()
