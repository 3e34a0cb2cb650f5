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


def trunk(spec, t, x, training=False):
    """The numbers that the heads read."""
    for i, layer in enumerate(spec["layers"]):
        ((kind, p),) = layer.items()
        weight, bias = t[f"layers.{i}.{kind}.weight"], t.get(f"layers.{i}.{kind}.bias")
        if kind == "conv":
            x = F.conv2d(x, weight, bias, padding=tuple(p["padding"]))
        else:
            x = F.linear(x.flatten(1), weight, bias)
        if p["norm"]:
            names = ["running_mean", "running_var", "weight", "bias"]
            tensors = (t[f"layers.{i}.norm.{name}"] for name in names)
            x = F.batch_norm(x, *tensors, training=training)
        x = F.relu(x)
    return x.flatten(1)


def heads(spec, t, x, training=False):
    """The outputs of each head, by its name."""
    x = trunk(spec, t, x, training)
    return {h: F.linear(x, t[f"heads.{h}.weight"], t[f"heads.{h}.bias"]) for h in spec["heads"]}


def forward(spec, t, x):
    return torch.cat(list(heads(spec, t, x).values()), 1)


def planes(spec, cells):
    """One-hot planes: plane 0 for empty cells, plane k for tile 2^k."""
    rows, cols = map(int, spec["board"].split("x"))
    lit = F.one_hot(torch.as_tensor(cells), spec["planes"]).float()
    return lit.view(-1, rows, cols, spec["planes"]).permute(0, 3, 1, 2)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        if word.endswith(".safetensors"):
            spec, tensors = read(word)
            continue
        with torch.no_grad():
            cells = [int(cell, 36) for cell in word.split(":")[-1]]
            outputs = forward(spec, tensors, planes(spec, [cells]))
        print(word, *(f"{number:.9g}" for number in outputs[0].tolist()))
