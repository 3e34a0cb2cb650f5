#!/usr/bin/env python3
"""The counterpart of training_speed.rs in PyTorch: positions learned per second, batches of 1024, squared loss, Adam.

    cargo run -p maxtile-neural --example make cnn22 1 cnn22.safetensors
    python3 training_speed.py cnn22.safetensors [THREADS] [SECONDS]
"""

import pathlib
import sys
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "neural/tests"))
from pytorch import heads, planes, read  # noqa: E402

spec, t = read(sys.argv[1])
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
torch.set_num_threads(threads)
torch.manual_seed(1)
learned = [tensor.requires_grad_() for name, tensor in t.items() if "running" not in name]
optimizer = torch.optim.Adam(learned, lr=1e-4)
boards = planes(spec, torch.randint(0, 8, (1024, 16))).contiguous()
targets = (torch.arange(1024) % 7).float().unsqueeze(1)


def step():
    values = heads(spec, t, boards, training=True)["value"]
    optimizer.zero_grad()
    F.mse_loss(values, targets).backward()
    optimizer.step()


step()
start, steps = time.perf_counter(), 0
while time.perf_counter() - start < seconds:
    step()
    steps += 1
rate = steps * 1024 / (time.perf_counter() - start)
print(f"{spec['name']} training in pytorch on {threads} threads: {rate:.0f}/s ({steps} steps)")
