#!/usr/bin/env python3
"""Runs a network file of maxtile in PyTorch and prints the outputs of all heads, a line a position.

    python3 pytorch.py FILE.safetensors POSITION... [FILE.safetensors POSITION...]...
"""

import json
import sys

import torch
import torch.nn.functional as F
from safetensors import safe_open


def read(path):
    with safe_open(path, "pt") as file:
        spec = json.loads(file.metadata()["maxtile-neural"])["spec"]
        return spec, {name: file.get_tensor(name) for name in file.keys()}


def forward(spec, t, x):
    for i, layer in enumerate(spec["layers"]):
        ((kind, p),) = layer.items()
        weight, bias = t[f"layers.{i}.{kind}.weight"], t.get(f"layers.{i}.{kind}.bias")
        if kind == "conv":
            x = F.conv2d(x, weight, bias, padding=tuple(p["padding"]))
        else:
            x = F.linear(x.flatten(1), weight, bias)
        if p["norm"]:
            names = ["running_mean", "running_var", "weight", "bias"]
            x = F.batch_norm(x, *(t[f"layers.{i}.norm.{name}"] for name in names))
        x = F.relu(x)
    heads = [(t[f"heads.{head}.weight"], t[f"heads.{head}.bias"]) for head in spec["heads"]]
    return torch.cat([F.linear(x.flatten(1), *head) for head in heads], 1)


def planes(spec, positions):
    """One-hot planes: plane 0 for empty cells, plane k for tile 2^k."""
    rows, cols = map(int, spec["board"].split("x"))
    cells = [[int(cell, 36) for cell in text.split(":")[-1]] for text in positions]
    lit = F.one_hot(torch.tensor(cells), spec["planes"]).float()
    return lit.view(-1, rows, cols, spec["planes"]).permute(0, 3, 1, 2)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        if word.endswith(".safetensors"):
            spec, tensors = read(word)
            continue
        with torch.no_grad():
            outputs = forward(spec, tensors, planes(spec, [word]))
        print(word, *(f"{number:.9g}" for number in outputs[0].tolist()))
