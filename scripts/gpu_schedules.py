#!/usr/bin/env python3
"""What becomes of the GPU schedules that are shipped, at their programs' full sizes, as a table in Markdown.

scripts/gpu_schedules.py [NAME...]: of all programs with a NAME.gpu.sched, or of those named. A row each: kernels; the estimate for a device;
the time that its memory takes to read inputs and write outputs once; how many times that the estimate is; and what ptxas says
of the kernel that takes longest: registers of a thread, shared memory of a block in bytes, and bytes that spill in all kernels.
scripts/gpu_schedules.py --layers [TABLE...]: of the operators in those tables of resources/workloads, else of the networks', a row each: the
schedule that its table names, the estimate, the blocks of the kernel that takes longest, what bounds it, and the estimate under the
program's NAME.gpu.sched, where that is another one.
scripts/gpu_schedules.py --registers: of every kernel of all schedules for GPUs the registers of a thread that the model guesses and those
that ptxas gives it, for the architecture that the schedule asks for, in the order of their ratio; then how near the guesses are.
LOOPSCOPE_CLI names the program, else build/bin/loopscope-cli; DEVICE the device, else h200; ARCH the architecture, else sm_90.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIPELINES = ROOT / "resources/pipelines"
CLI = os.environ.get("LOOPSCOPE_CLI", str(ROOT / "build/bin/loopscope-cli"))
DEVICE = os.environ.get("DEVICE", "h200")
ARCH = os.environ.get("ARCH", "sm_90")


NETWORKS = ["resnet18", "mobilenet", "resnet18_f16", "mobilenet_f16"]


def cli(verb, name, *arguments, variant="gpu"):
    command = [CLI, verb, PIPELINES / f"{name}.loop", "-s", PIPELINES / f"{name}.{variant}.sched", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def assembled(name, variant="gpu", arch=ARCH):
    """By `arch`, or where it is None by what the schedule asks for: of each kernel its registers and the bytes of its shared memory, as the source says them; the bytes that spill."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.ptx"
        source.write_text(cli("emit", name, "--as", "ptx", *(["--arch", arch] if arch else []), variant=variant))
        arch = arch or re.search(r"^\.target (\w+)", source.read_text(), re.MULTILINE)[1]
        said = subprocess.run(["ptxas", "-v", "-arch", arch, "-o", source.with_suffix(".cubin"), source],
                              capture_output=True, text=True, check=True).stderr
    kernels, spilled, kernel = {}, 0, None
    for line in said.splitlines():
        if found := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = found[1]
        elif found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spilled += int(found[1]) + int(found[2])
        elif found := re.search(r"Used (\d+) registers", line):
            kernels[kernel] = int(found[1])
    return kernels, spilled


def row(name):
    models = json.loads(cli("estimate", name, "--device", DEVICE, "--model", "all", "--json"))["estimates"]
    estimate = next(e for e in models if e["model"] == "bottleneck")
    roofline = next(e for e in models if e["model"] == "roofline")
    if not estimate["seconds"]:
        return f"| {name} | no seconds: {estimate['reason']} |"
    memory = next(t["value"] for t in roofline["terms"] if t["name"] == "T_DRAM")
    moved = next(t["value"] for t in roofline["terms"] if t["name"] == "bytes_DRAM")
    compulsory = estimate["compulsory_bytes"] * memory / moved
    longest = max(estimate["kernels"], key=lambda k: k["seconds"])
    kernels, spilled = assembled(name)
    registers = kernels.get(re.sub(r"\W", "_", longest["name"]), "–")
    return (f"| {name} | {len(estimate['kernels'])} | {estimate['seconds'] * 1e6:.1f} | {compulsory * 1e6:.1f} | "
            f"{estimate['seconds'] / compulsory:.1f} | {estimate['bound']} | {longest['name']} | {registers} | "
            f"{longest['gpu']['shared_bytes']} | {spilled} |")


def estimate_of(operator, variant):
    params = [word for name, value in operator["params"].items() for word in ("--param", f"{name}={value}")]
    answer = cli("estimate", operator["program"], "--device", DEVICE, "--json", *params, variant=variant)
    return json.loads(answer)["estimates"][0]


def layer(name, operator):
    chosen = operator["schedule"]
    estimate = estimate_of(operator, chosen)
    longest = max(estimate["kernels"], key=lambda k: k["seconds"])
    under_gpu = ""
    if chosen != "gpu":
        try:
            seconds = estimate_of(operator, "gpu")["seconds"]
            under_gpu = f"{seconds * 1e6:.1f}" if seconds else "cannot run"
        except subprocess.CalledProcessError:
            under_gpu = "cannot be applied"
    return (f"| {name} | {operator['program']}.{chosen} | {estimate['seconds'] * 1e6:.1f} | {longest['gpu']['blocks']} | "
            f"{estimate['bound']} | {under_gpu} |")


def layers(tables):
    print(f"| layer | schedule | µs on {DEVICE} | blocks | bound by | µs under `gpu` |")
    print("| --- | --- | ---: | ---: | --- | ---: |")
    for table in tables:
        operators = json.loads((ROOT / f"resources/workloads/{table}.json").read_text())["operators"]
        for name, operator in operators.items():
            print(layer(f"{table} {name}", operator), flush=True)


def registers():
    rows = []
    for path in sorted(PIPELINES.glob("*.gpu*.sched")):
        name, variant = path.name.removesuffix(".sched").split(".", 1)
        target = re.search(r"^target (\w+)", path.read_text(), re.MULTILINE)
        device = [] if target else ["--device", DEVICE]
        try:
            given, _ = assembled(name, variant, None)
        except subprocess.CalledProcessError as refused:
            print(f"{path.name} is left out: {refused.stderr.splitlines()[0]}", file=sys.stderr)
            continue
        guessed = json.loads(cli("estimate", name, *device, "--json", variant=variant))["estimates"][0]["kernels"]
        for kernel in guessed:
            entry = re.sub(r"\W", "_", kernel["name"])
            rows.append((kernel["gpu"]["registers"], given[entry], f"{name}.{variant}", kernel["name"]))
    rows.sort(key=lambda row: row[0] / row[1])
    print("| schedule | kernel | guessed | by ptxas | ratio |\n| --- | --- | ---: | ---: | ---: |")
    for guess, count, schedule, kernel in rows:
        print(f"| {schedule} | {kernel} | {guess} | {count} | {guess / count:.2f} |")
    mean = math.exp(sum(math.log(row[0] / row[1]) for row in rows) / len(rows))
    near = sum(2 / 3 <= row[0] / row[1] <= 1.5 for row in rows)
    print(f"\n{near} of {len(rows)} within a factor of 1.5; geometric mean of the ratios {mean:.2f}")


def main():
    if sys.argv[1:] == ["--registers"]:
        return registers()
    if sys.argv[1:2] == ["--layers"]:
        return layers(sys.argv[2:] or NETWORKS)
    names = sys.argv[1:] or sorted(path.name.removesuffix(".gpu.sched") for path in PIPELINES.glob("*.gpu.sched"))
    print(f"| program | kernels | µs on {DEVICE} | µs of compulsory traffic | ratio | bound by | longest kernel | "
          "its registers | its shared bytes | spilled |")
    print("| --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | ---: |")
    for name in names:
        print(row(name), flush=True)


main()
