#!/usr/bin/env python3
"""Times bundled programs against Halide, under the same schedule on both sides.

    tests/bench/peers/halide.py [NAME...] [--threads 1] [--rounds 5] [--autoschedulers] [--out FILE.json]

Each program is exported to Halide C++ (`loopscope-cli emit --as halide`), compiled against Debian's libhalide14-0-dev, and run on
random arrays; `loopscope-cli measure` times ours. The two sides run in turns; a line gives the median of the rounds' ratios, Halide's
median over ours (above 1: ours is faster), and their range. Halide's own operations are taken (-DEXACT=0): it may fuse
multiplications and additions everywhere, ours only where the schedule says contract(). With --autoschedulers Halide's three
auto-schedulers are timed too, on its algorithm alone. A failure is said, and is no ratio.
"""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
CLI = os.environ.get("LOOPSCOPE_CLI", os.path.join(ROOT, "build", "bin", "loopscope-cli"))
PIPELINES = os.path.join(ROOT, "resources", "pipelines")
PLUGINS = "/usr/lib/x86_64-linux-gnu/halide14"
AUTOSCHEDULERS = {"mullapudi2016": "Mullapudi2016", "li2018": "Li2018", "adams2019": "Adams2019"}
NUMPY = {"bool": "|b1", "u8": "|u1", "i8": "|i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "u64": "<u8",
         "i64": "<i8", "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8"}


def run(command, seconds=600):
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError((lines or ["status %d" % done.returncode])[-1][:200])
    return done.stdout


def block(kind, generator):
    """64 Ki random elements: reals in [0, 1), and whole numbers over the whole range of small types."""
    count = 1 << 16
    if kind == "f32":
        return struct.pack("<%df" % count, *(generator.random() for _ in range(count)))
    if kind == "f64":
        return struct.pack("<%dd" % count, *(generator.random() for _ in range(count)))
    if kind in ("f16", "bf16"):
        return struct.pack("<%dH" % count, *(generator.randrange(0x3800, 0x3c00) for _ in range(count)))
    if kind == "bool":
        return bytes(generator.randrange(2) for _ in range(count))
    size = int(kind[1:]) // 8
    limit = {1: 1 << 7, 2: 1 << 10}.get(size, 1 << 16)
    return b"".join(generator.randrange(limit).to_bytes(size, "little") for _ in range(count))


def write_array(path, kind, extents, generator):
    shape = "(%d,)" % extents[0] if len(extents) == 1 else "(" + ", ".join(str(e) for e in extents) + ")"
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (NUMPY[kind], shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    total = 1
    for extent in extents:
        total *= extent
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        part = block(kind, generator)
        size = len(part) >> 16
        left = total * size
        while left > 0:
            out.write(part[: min(left, len(part))])
            left -= len(part)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


class Program:
    def __init__(self, name, folder):
        self.name = name
        self.loop = os.path.join(PIPELINES, name + ".loop")
        self.schedule = os.path.join(PIPELINES, name + ".cpu.sched")
        self.source = os.path.join(folder, name + ".cpp")
        self.binary = os.path.join(folder, name)
        shape = json.loads(run([CLI, "show", self.loop, "--json"]))
        generator = random.Random(1)
        self.files = []
        for stage in shape["stages"]:
            if stage["kind"] == "input":
                path = os.path.join(folder, "%s.%s.npy" % (name, stage["name"]))
                write_array(path, stage["types"][0], stage["extents"], generator)
                self.files.append("%s=%s" % (stage["name"], path))
        types = {stage["name"]: stage["types"] for stage in shape["stages"]}
        for output in shape["outputs"]:
            parts = types[output["stage"]]
            for c in range(len(parts)):
                label = output["stage"] + (".%d" % c if len(parts) > 1 else "")
                self.files.append("%s=%s" % (label, os.path.join(folder, "%s.%s.out.npy" % (name, label))))

    def compile(self):
        run([CLI, "emit", self.loop, "-s", self.schedule, "--as", "halide", "-o", self.source])
        run(["g++", "-std=c++17", "-O2", "-DEXACT=0", self.source, "-I/usr/include/halide14", "-lHalide14", "-ldl",
             "-lpthread", "-o", self.binary])

    def halide(self, threads, runs, scheduler=None):
        command = [self.binary] + self.files + ["--threads", str(threads), "--time", str(runs)]
        if scheduler:
            command += ["--autoschedule", "%s/libautoschedule_%s.so=%s" % (PLUGINS, scheduler, AUTOSCHEDULERS[scheduler])]
        return float(re.search(r"median_s (\S+)", run(command)).group(1))

    def ours(self, threads, seconds):
        answer = json.loads(run([CLI, "measure", self.loop, "-s", self.schedule, "--threads", str(threads), "--budget",
                                 str(seconds), "--json"]))
        return answer["median_s"]


def compare(program, options):
    program.compile()
    first = program.halide(options.threads, 1)
    runs = max(3, min(50, int(options.seconds / max(first, 1e-4))))
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(program.ours(options.threads, options.seconds))
        theirs.append(program.halide(options.threads, runs))
    ratios = sorted(t / o for t, o in zip(theirs, ours))
    result = {"program": program.name, "threads": options.threads, "ours_s": median(ours), "halide_s": median(theirs),
              "ratio": median(ratios), "ratio_low": ratios[0], "ratio_high": ratios[-1], "rounds": options.rounds}
    if options.autoschedulers:
        result["autoschedulers"] = {}
        for scheduler in AUTOSCHEDULERS:
            try:
                seconds = program.halide(options.threads, runs, scheduler)
                result["autoschedulers"][scheduler] = {"halide_s": seconds, "ratio": seconds / median(ours)}
            except (RuntimeError, subprocess.TimeoutExpired, AttributeError) as failure:
                result["autoschedulers"][scheduler] = {"failed": str(failure)[:200]}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each side in each round")
    parser.add_argument("--autoschedulers", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    names = options.names or sorted(f[:-5] for f in os.listdir(PIPELINES) if f.endswith(".loop"))
    results = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = compare(Program(name, folder), options)
                print("%-30s %d  ours %9.3f ms  halide %9.3f ms  ratio %5.2f [%.2f-%.2f]" % (
                    name, options.threads, 1e3 * result["ours_s"], 1e3 * result["halide_s"], result["ratio"],
                    result["ratio_low"], result["ratio_high"]))
                for scheduler, told in result.get("autoschedulers", {}).items():
                    print("    %-15s %s" % (scheduler, told.get("failed") or "%.3f ms, ratio %.2f" % (
                        1e3 * told["halide_s"], told["ratio"])))
            except (RuntimeError, subprocess.TimeoutExpired, AttributeError) as failure:
                result = {"program": name, "threads": options.threads, "failed": str(failure)[:300]}
                print("%-30s %d  failed: %s" % (name, options.threads, result["failed"]))
            sys.stdout.flush()
            results.append(result)
    told = [r["ratio"] for r in results if "ratio" in r]
    if told:
        product = 1.0
        for ratio in told:
            product *= ratio
        print("geometric mean of %d: %.2f, least %.2f" % (len(told), product ** (1 / len(told)), min(told)))
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"date": time.strftime("%Y-%m-%d"), "command": " ".join(sys.argv), "halide": "14",
                       "contraction": "Halide fuses freely; ours where contract() is said", "results": results}, out, indent=1)
    return 0 if len(told) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
