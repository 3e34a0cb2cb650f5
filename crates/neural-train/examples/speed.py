#!/usr/bin/env python3
"""The counterpart of speed.rs in PyTorch: positions learned per second, batches of 1024, squared loss, Adam.

    cargo run -p maxtile-neural --example make cnn22 1 cnn22.safetensors
    python3 speed.py cnn22.safetensors [THREADS] [SECONDS]
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
from safetensors import safe_open

with safe_open(sys.argv[1], "pt") as file:
    spec = json.loads(file.metadata()["maxtile-neural"])["spec"]
    t = {name: file.get_tensor(name) for name in file.keys()}
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10.0
torch.set_num_threads(threads)
torch.manual_seed(1)
learned = [tensor.requires_grad_() for name, tensor in t.items() if "running" not in name]
optimizer = torch.optim.Adam(learned, lr=1e-4)
planes = F.one_hot(torch.randint(0, 8, (1024, 16)), spec["planes"]).float()
planes = planes.view(-1, 4, 4, spec["planes"]).permute(0, 3, 1, 2).contiguous()
targets = (torch.arange(1024) % 7).float().unsqueeze(1)


def step():
    x = planes
    for i, layer in enumerate(spec["layers"]):
        ((kind, p),) = layer.items()
        weight, bias = t[f"layers.{i}.{kind}.weight"], t.get(f"layers.{i}.{kind}.bias")
        if kind == "conv":
            x = F.conv2d(x, weight, bias, padding=tuple(p["padding"]))
        else:
            x = F.linear(x.flatten(1), weight, bias)
        if p["norm"]:
            names = ["running_mean", "running_var", "weight", "bias"]
            x = F.batch_norm(x, *(t[f"layers.{i}.norm.{name}"] for name in names), training=True)
        x = F.relu(x)
    values = F.linear(x.flatten(1), t["heads.value.weight"], t["heads.value.bias"])
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
