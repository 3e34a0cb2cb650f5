#!/usr/bin/env python3
"""The counterpart of inference_speed.rs in PyTorch, and in ONNX Runtime where it is there: positions per second of wall time and of CPU time, one thread.

    cargo run -p maxtile-neural --example make cnn22 1 cnn22.safetensors
    python3 inference_speed.py cnn22.safetensors [SECONDS]
"""

import pathlib
import sys
import tempfile
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests"))
from pytorch import forward, planes, read  # noqa: E402

spec, tensors = read(sys.argv[1])
BATCHES = [1, 4, 64, 1024]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
torch.set_num_threads(1)
torch.manual_seed(1)
cells = torch.randint(0, 8, (1024, 16))
boards = planes(spec, cells).contiguous()


def measure(what, run, batch, chunks):
    for chunk in chunks[:20]:
        run(chunk)
    start, cpu, count = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < seconds:
        for chunk in chunks:
            run(chunk)
            count += len(chunk)
            if time.perf_counter() - start >= seconds:
                break
    wall, used = time.perf_counter() - start, time.process_time() - cpu
    print(f"{spec['name']} {what} b{batch}: {count / wall:.0f}/s, {count / used:.0f}/cpu-s", flush=True)


with torch.inference_mode():
    for batch in BATCHES:
        measure("pytorch", lambda chunk: forward(spec, tensors, chunk), batch, list(boards.split(batch)))

try:
    import onnxruntime
except ImportError:
    sys.exit()


class Net(torch.nn.Module):
    def forward(self, x):
        return forward(spec, tensors, x)


with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/net.onnx"
    shapes = {"x": {0: "batch"}}
    torch.onnx.export(Net(), (boards[:2],), path, input_names=["x"], dynamic_axes=shapes, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
with torch.inference_mode():
    ours, theirs = forward(spec, tensors, boards).numpy(), session.run(None, {"x": boards.numpy()})[0]
assert abs(ours - theirs).max() < 1e-4
for batch in BATCHES:
    chunks = [chunk.numpy() for chunk in boards.split(batch)]
    measure("onnxruntime", lambda chunk: session.run(None, {"x": chunk}), batch, chunks)
