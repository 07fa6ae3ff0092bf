"""What does `torchstone check` cost for a model of 70 billion parameters? CPU seconds and peak memory of all of it.

Why: a check that needs the weights, or minutes, is not run before a move to another device. A Llama of that size is
written as a transformers config, and one whole training step of it is foretold for MPS.

    python benchmarks/preflight_size.py            # 70 B
    python benchmarks/preflight_size.py --quick    # 8 layers of it
"""

import argparse
import json
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from torchstone.processes import python_command

LLAMA_70B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
QUICK_LAYERS = 8
BARS = {"cpu_s": 15.0, "peak_mib": 500.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_LAYERS} layers alone")
    options = parser.parse_args()
    layers = QUICK_LAYERS if options.quick else LLAMA_70B["num_hidden_layers"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps({**LLAMA_70B, "num_hidden_layers": layers}))
        command = python_command("torchstone", "check", f"hf:{folder}", "--train", "--device", "mps", "--json")
        began = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(done.stdout)
    print(
        json.dumps(
            {
                "benchmark": "preflight_size",
                "layers": layers,
                "verdict": answer["verdict"],
                "calls": sum(one["calls"] for one in answer["findings"]),
                "wall_s": round(time.monotonic() - began, 1),
                "cpu_s": round(used.ru_utime + used.ru_stime, 1),
                "peak_mib": round(used.ru_maxrss / 1024),
                "bars": BARS,
            }
        )
    )


if __name__ == "__main__":
    main()
