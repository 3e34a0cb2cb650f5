#!/usr/bin/env python3
"""Makes the same steps of an optimiser in PyTorch, and prints the losses and the numbers after them.

    python3 steps.py NETWORK.safetensors CASE.json
"""

import json
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "neural/tests"))
from pytorch import heads, planes, read  # noqa: E402

(spec, t), case = read(sys.argv[1]), json.load(open(sys.argv[2]))
learned = [name for name in t if "running" not in name]
for name in learned:
    t[name].requires_grad_()


def forward(boards):
    return heads(spec, t, planes(spec, boards), training=True)


def td_loss():
    values = forward(case["boards"])["value"].squeeze(1)
    targets = torch.tensor(case["targets"])
    if case["huber"]:
        return F.huber_loss(values, targets, delta=case["huber"])
    return F.mse_loss(values, targets)


def ppo_loss():
    count, out = len(case["moves"]), forward(case["boards"])
    afterstates = "preference" in out
    logits = out["preference"].view(count, 4) if afterstates else out["moves"]
    if case["masked"]:
        logits = logits.masked_fill(~torch.tensor(case["legal"]), float("-inf"))
    pi = F.softmax(logits, 1)
    if afterstates:
        value = (pi.detach() * out["value"].view(count, 4)).sum(1)
    else:
        value = out["value"].squeeze(1)
    # Whole games one after the other.
    v, gamma, lam = value.detach().tolist(), case["discount"], case["lambda"]
    targets, gains = [0.0] * count, [0.0] * count
    for i in reversed(range(count)):
        last = case["last"][i]
        targets[i] = case["rewards"][i] + (0.0 if last else gamma * v[i + 1])
        gains[i] = targets[i] - v[i] + (0.0 if last else gamma * lam * gains[i + 1])
    gains = torch.tensor(gains)
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    chosen = pi.gather(1, torch.tensor(case["moves"]).unsqueeze(1)).squeeze(1)
    ratio = chosen / torch.tensor(case["log_chances"]).exp()
    clipped = ratio.clamp(1 - case["clip"], 1 + case["clip"])
    gain = torch.min(ratio * gains, clipped * gains)
    entropy = -torch.where(pi > 0, pi * pi.clamp_min(1e-30).log(), 0.0).sum(1)
    error = 0.5 * (value - torch.tensor(targets)) ** 2
    return (error - gain - case["entropy"] * entropy).mean()


parameters = [t[name] for name in learned]
if case["optimizer"] == "adam":
    optimizer = torch.optim.Adam(parameters, lr=case["rate"])
else:
    optimizer = torch.optim.SGD(parameters, lr=case["rate"], momentum=0.9, weight_decay=1e-4)
losses = []
for _ in range(case["steps"]):
    optimizer.zero_grad()
    loss = ppo_loss() if "moves" in case else td_loss()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("losses", *(f"{loss:.9g}" for loss in losses))
for name in sorted(t):
    print(name, *(f"{number:.9g}" for number in t[name].detach().flatten().tolist()))
