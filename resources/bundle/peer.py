#!/usr/bin/env python3
"""Times what other systems make of a bundle's jobs, on the same GPU: PyTorch, which calls cuBLAS and cuDNN.

Usage: python3 peer.py [--folder FOLDER] [--out peer.json] [--budget SECONDS] [--job NAME]...

A job takes part where its manifest has a "peer": {"op": "matmul", "type": "f16", "m": .., "n": .., "k": .., "batch": 1,
"transpose_b": false}, {"op": "conv", "type": "f16", "n": .., "c": .., "size": [..], "filters": .., "kernel": [..],
"stride": [..], "padding": [..], "groups": 1, "channels_first": false}, or {"op": "copy", "type": "f32", "elements": ..}. Times are medians of events of the device:
warm (executions behind one another), and cold (the L2 emptied before each), as loopscope-agent takes them.
"""
import argparse
import json
import os
import statistics
import sys
import time

TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8"}
SHORT_SECONDS = 50e-6
GRAPH_SECONDS = 2e-3


def work_of(torch, peer):
    """A function without arguments that does the job's work once."""
    kind = getattr(torch, TYPES[peer["type"]])

    def array(*shape):
        values = torch.rand(*shape, device="cuda") * 2 - 1
        return (values * 100).to(kind) if peer["type"] == "i8" else values.to(kind)

    if peer["op"] == "matmul":
        batch = [peer["batch"]] if peer.get("batch", 1) > 1 else []
        a = array(*batch, peer["m"], peer["k"])
        if peer["type"] == "i8":  # cuBLAS has it for one layout only
            b = array(peer["n"], peer["k"]).t()
            return lambda: torch._int_mm(a, b)
        if peer.get("transpose_b"):
            b = array(*batch, peer["n"], peer["k"]).transpose(-1, -2)
        else:
            b = array(*batch, peer["k"], peer["n"])
        out = torch.matmul(a, b)
        return lambda: torch.matmul(a, b, out=out)
    if peer["op"] == "conv":
        rank = len(peer["size"])
        last = {2: torch.channels_last, 3: torch.channels_last_3d}[rank]
        layout = torch.contiguous_format if peer.get("channels_first") else last
        groups = peer.get("groups", 1)
        data = array(peer["n"], peer["c"], *peer["size"]).contiguous(memory_format=layout)
        filters = array(peer["filters"], peer["c"] // groups, *peer["kernel"]).contiguous(memory_format=layout)
        convolve = {2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}[rank]
        torch.backends.cudnn.benchmark = True
        return lambda: convolve(data, filters, stride=peer.get("stride", 1), padding=peer.get("padding", 0),
                                groups=groups)
    if peer["op"] == "copy":
        source = array(peer["elements"])
        target = torch.empty_like(source)
        return lambda: target.copy_(source)
    raise ValueError(f"no peer for the operation {peer['op']!r}")


def seconds_of(torch, count, work, before=None):
    """So many times `before`, then `work`, which alone is timed."""
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for begin, end in events:
        if before:
            before()
        begin.record()
        work()
        end.record()
    torch.cuda.synchronize()
    return [1e-3 * begin.elapsed_time(end) for begin, end in events]


def graph_of(torch, work, count):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(count):
            work()
    return graph


def samples_within(budget, batch):
    samples, begin = [], time.monotonic()
    while time.monotonic() - begin < budget or len(samples) < 10:
        samples += batch()
    return samples


def times_of(torch, peer, budget):
    work = work_of(torch, peer)
    begin = time.monotonic()
    while time.monotonic() - begin < 0.2:
        each = min(seconds_of(torch, 5, work))
    count = 1
    replay = work
    if each < SHORT_SECONDS:
        count = max(1, min(2048, int(GRAPH_SECONDS / max(each, 1e-7))))
        replay = graph_of(torch, work, count).replay
    warm = [s / count for s in samples_within(budget, lambda: seconds_of(torch, 10, replay))]
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    flush = torch.empty(2 * l2, dtype=torch.uint8, device="cuda")
    cold = samples_within(budget, lambda: seconds_of(torch, 10, work, flush.zero_))
    return [{"cache": cache, "median_s": statistics.median(samples), "min_s": min(samples), "samples": len(samples)}
            for cache, samples in (("warm", warm), ("cold", cold))]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=here)
    parser.add_argument("--out", default="peer.json")
    parser.add_argument("--budget", type=float, default=2)
    parser.add_argument("--job", action="append", default=[])
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("error: there is no PyTorch here; the bundle runs without it", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("error: PyTorch finds no GPU", file=sys.stderr)
        return 3
    with open(os.path.join(options.folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    results = {"format": "loopscope-peer/1", "peer": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
               f"cuDNN {torch.backends.cudnn.version()}", "gpu": torch.cuda.get_device_name(0), "jobs": []}
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    status = 0
    for job in manifest["jobs"]:
        if "peer" not in job or (options.job and job["name"] not in options.job):
            continue
        try:
            times = times_of(torch, job["peer"], options.budget)
            results["jobs"].append({"name": job["name"], "times": times})
            print(job["name"] + ": " + ", ".join(f"{t['cache']} {1e6 * t['median_s']:.2f} us" for t in times))
        except (RuntimeError, ValueError, KeyError) as problem:
            results["jobs"].append({"name": job["name"], "error": str(problem)})
            print(f"{job['name']}: failed: {problem}", file=sys.stderr)
            status = 4
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return status


if __name__ == "__main__":
    sys.exit(main())
