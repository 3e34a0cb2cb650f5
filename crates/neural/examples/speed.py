#!/usr/bin/env python3
"""The counterpart of speed.rs in PyTorch: positions per second of wall time and of CPU time, one thread.

    cargo run -p maxtile-neural --example make cnn22 1 cnn22.safetensors
    python3 speed.py cnn22.safetensors [SECONDS]
"""

import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
from pytorch import forward, planes, read  # noqa: E402

spec, tensors = read(sys.argv[1])
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
torch.set_num_threads(1)
torch.manual_seed(1)
cells = torch.randint(0, 8, (1024, 16))
boards = planes(spec, cells).contiguous()
with torch.inference_mode():
    for batch in [1, 4, 64, 1024]:
        chunks = list(boards.split(batch))
        for chunk in chunks[:20]:
            forward(spec, tensors, chunk)
        start, cpu, count = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - start < seconds:
            for chunk in chunks:
                forward(spec, tensors, chunk)
                count += len(chunk)
                if time.perf_counter() - start >= seconds:
                    break
        wall, used = time.perf_counter() - start, time.process_time() - cpu
        print(f"{spec['name']} pytorch b{batch}: {count / wall:.0f}/s, {count / used:.0f}/cpu-s")
