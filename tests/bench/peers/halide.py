#!/usr/bin/env python3
"""Times the bundled programs against Halide, under the same schedule on both sides, and under Halide's own auto-schedulers.

    tests/bench/peers/halide.py [NAME...] [--threads 1] [--out FOLDER] [--report FILE.md]

Each program is exported to Halide C++ (`loopscope-cli emit --as halide`) and compiled against Debian's libhalide14-0-dev. Both
sides read the same random arrays at the program's full size, compile once (which is not counted), and run in turns; their results
are compared. The ratio is Halide's median over ours: above 1 ours is faster. Beside it stand the quartiles of the rounds' ratios
and the same ratio of processor time and of the fastest run of each side, which a busy machine disturbs less.

Halide's own operations are taken (-DEXACT=0) where they give the same results: it fuses multiplications and additions wherever it
likes, ours only where the schedule says contract() or fast_math(). Where they do not, because a program needs casts that saturate,
the exported program's own (-DEXACT=1) are taken, still without strict floats; the table says so.

FOLDER gets a NAME.json for each program; one that is there already and has not failed is not run again, so that a run that was
stopped goes on where it stood. FILE.md gets the table, between the two comments that mark its place.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import sys
import tempfile
import time

from arrays import write_array
from report import table, write_report
from sides import Failure, Peer, median, quantile, run, time_in_turns

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))
BIN = os.path.join(ROOT, "build", "bin")
CLI = os.environ.get("LOOPSCOPE_CLI", os.path.join(BIN, "loopscope-cli"))
PEER = os.environ.get("LOOPSCOPE_PEER", os.path.join(BIN, "loopscope-peer"))
PIPELINES = os.path.join(ROOT, "resources", "pipelines")
INCLUDE = "/usr/include/halide14"
PLUGINS = "/usr/lib/x86_64-linux-gnu/halide14"
AUTOSCHEDULERS = {"mullapudi2016": "Mullapudi2016", "li2018": "Li2018", "adams2019": "Adams2019"}
LARGEST_SHARE_BEYOND = 1e-3  # of elements that may differ by more than rounding: decisions on rounded values


class Program:
    def __init__(self, name, folder, threads):
        self.name, self.threads = name, threads
        self.loop = os.path.join(PIPELINES, name + ".loop")
        # What Halide has no directive for is compared under another schedule, on both sides.
        other = os.path.join(HERE, "schedules", name + ".cpu.sched")
        self.schedule = other if os.path.exists(other) else os.path.join(PIPELINES, name + ".cpu.sched")
        self.binary = os.path.join(folder, name)
        self.folder = folder
        shape = json.loads(run([CLI, "show", self.loop, "--json"]))
        self.params = shape["params"]
        generator = random.Random(1)
        self.inputs, self.outputs = [], {}
        types = {stage["name"]: stage["types"] for stage in shape["stages"]}
        for stage in shape["stages"]:
            if stage["kind"] == "input":
                path = os.path.join(folder, "%s.%s.npy" % (name, stage["name"]))
                write_array(path, stage["types"][0], stage["extents"], generator)
                self.inputs.append("%s=%s" % (stage["name"], path))
        for output in shape["outputs"]:
            parts = types[output["stage"]]
            for c in range(len(parts)):
                label = output["stage"] + (".%d" % c if len(parts) > 1 else "")
                self.outputs[label] = os.path.join(folder, "%s.%s.out.npy" % (name, label))
        with open(self.schedule) as script:
            self.contracts = bool(re.search(r"^\s*\S+\.(contract|fast_math)\(", script.read(), re.M))

    def compile(self, header, exact):
        source = self.binary + ".cpp"
        run([CLI, "emit", self.loop, "-s", self.schedule, "--as", "halide", "-o", source])
        run(["g++", "-std=c++17", "-O0", "-DEXACT=%d" % exact, '-DPROGRAM="%s"' % source, "-I" + header, "-include", "Halide.h",
             os.path.join(HERE, "halide_peer.cpp"), "-lHalide14", "-ldl", "-lpthread", "-o", self.binary])

    def ours(self):
        return Peer([PEER, self.loop, self.schedule, str(self.threads)] + self.inputs)

    def halide(self, scheduler, seconds):
        outputs = ["%s=%s" % item for item in self.outputs.items()]
        command = [self.binary, "--threads", str(self.threads)] + self.inputs + outputs
        if scheduler:
            command += ["--autoschedule", "%s/libautoschedule_%s.so=%s" % (PLUGINS, scheduler, AUTOSCHEDULERS[scheduler])]
        # Large pipelines nest deeply in Halide's compiler.
        return Peer(["bash", "-c", 'ulimit -s unlimited; exec "$@"', "peer"] + command,
                    {"HL_NUM_THREADS": str(self.threads)}, seconds)


def time_own_schedule(peer, ours, options):
    """A schedule that Halide made itself: three turns, or a single run where that takes long."""
    wall, cpu = (figures[0] for figures in peer.time(1))
    if wall < options.slow:
        own, again = time_in_turns([peer, ours.peer], 3, options)
        wall, cpu = median(own.wall), median(own.cpu)
        return {"halide_ms": 1e3 * wall, "ratio": wall / median(again.wall), "ratio_cpu": cpu / median(again.cpu),
                "ratio_least": min(own.wall) / min(ours.wall + again.wall)}
    return {"halide_ms": 1e3 * wall, "ratio": wall / median(ours.wall), "ratio_cpu": cpu / median(ours.cpu),
            "ratio_least": wall / min(ours.wall)}


def compared(program, ours, halide):
    """How the results differ. Both have run."""
    halide.ask("write")
    told = {}
    for name, path in program.outputs.items():
        count, differing, beyond, error, greatest = ours.ask("compare %s %s" % (name, path)).split()
        told[name] = {"elements": int(count), "differing": int(differing), "beyond": int(beyond), "max_abs_error": float(error),
                      "greatest": float(greatest)}
    return told


def equal_enough(results):
    return all(told["beyond"] <= LARGEST_SHARE_BEYOND * told["elements"] for told in results.values())


def checked_sides(program, header, options, peers):
    """Both sides, compiled and run, the operations that Halide's took, and how their results differ."""
    peers["ours"] = program.ours()
    peers["ours"].time(1)
    for exact in (0, 1):
        program.compile(header, exact)
        if "halide" in peers:
            peers["halide"].stop()
        peers["halide"] = program.halide(None, options.compile_seconds)
        peers["halide"].time(1)
        results = compared(program, peers["ours"], peers["halide"])
        if equal_enough(results):
            break
    return exact, results


def own_schedules(program, ours, options, peers):
    """Of each of Halide's auto-schedulers what its schedule takes, or why there is none."""
    told = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {s: pool.submit(program.halide, s, options.schedule_seconds) for s in AUTOSCHEDULERS}
    for scheduler, job in jobs.items():
        try:
            peers[scheduler] = job.result()
            told[scheduler] = time_own_schedule(peers[scheduler], ours, options)
        except Failure as failure:
            told[scheduler] = {"failed": str(failure)}
    return told


def compare(program, header, options):
    peers = {}
    try:
        exact, results = checked_sides(program, header, options, peers)
        ours, theirs = time_in_turns([peers["ours"], peers["halide"]], options.rounds, options)
        ratios = [t / o for t, o in zip(theirs.rounds, ours.rounds)]
        result = {"program": program.name, "date": time.strftime("%Y-%m-%d"), "params": program.params,
                  "threads": program.threads, "schedule": os.path.relpath(program.schedule, ROOT),
                  "ours_contracts": program.contracts, "halide_contracts": True, "halide_exact": bool(exact),
                  "ours_ms": 1e3 * median(ours.wall), "halide_ms": 1e3 * median(theirs.wall),
                  "ours_cpu_ms": 1e3 * median(ours.cpu), "halide_cpu_ms": 1e3 * median(theirs.cpu),
                  "ours_least_ms": 1e3 * min(ours.wall), "halide_least_ms": 1e3 * min(theirs.wall),
                  "ratio": median(theirs.wall) / median(ours.wall), "ratio_cpu": median(theirs.cpu) / median(ours.cpu),
                  "ratio_least": min(theirs.wall) / min(ours.wall), "ratio_low": quantile(ratios, 0.25),
                  "ratio_high": quantile(ratios, 0.75), "rounds": len(ratios), "runs": len(ours.wall),
                  "ours_compile_s": peers["ours"].seconds_compile, "halide_compile_s": peers["halide"].seconds_compile,
                  "results": results, "autoschedulers": {}}
        if options.autoschedulers:
            result["autoschedulers"] = own_schedules(program, ours, options, peers)
        if not equal_enough(results):
            result["failed"] = "the results differ: " + json.dumps(results)
        return result
    finally:
        for peer in peers.values():
            peer.stop()


def kept_result(path):
    """What an earlier run has written, if it is of use."""
    if not path or not os.path.exists(path):
        return None
    with open(path) as file:
        result = json.load(file)
    return None if "failed" in result else result


def run_program(name, header, options):
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = compare(Program(name, folder, options.threads), header, options)
        except Failure as failure:
            result = {"program": name, "threads": options.threads, "failed": str(failure)}
    print("\n".join(table([result], AUTOSCHEDULERS)[2:3]))
    for scheduler, told in result.get("autoschedulers", {}).items():
        if "failed" in told:
            print("    %s: %s" % (scheduler, told["failed"]))
    sys.stdout.flush()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15, help="turns of each side, at most")
    parser.add_argument("--turn", type=float, default=0.1, help="seconds of one turn; at least one run")
    parser.add_argument("--seconds", type=float, default=10, help="after which no more rounds of a program begin")
    parser.add_argument("--slow", type=float, default=1, help="seconds of a run from which Halide's own schedule is run once only")
    parser.add_argument("--compile-seconds", type=float, default=300, help="for Halide to compile")
    parser.add_argument("--schedule-seconds", type=float, default=60, help="for an auto-scheduler and Halide to compile")
    parser.add_argument("--no-autoschedulers", dest="autoschedulers", action="store_false")
    parser.add_argument("--out", help="folder of the results, one file for each program")
    parser.add_argument("--report", help="a text whose table is renewed")
    options = parser.parse_args()
    names = options.names or sorted(f[:-5] for f in os.listdir(PIPELINES) if f.endswith(".loop"))
    results = []
    with tempfile.TemporaryDirectory() as header:
        # Halide's header takes most of a compilation: it is compiled once, beside a link to it by which compilers find it.
        os.symlink(os.path.join(INCLUDE, "Halide.h"), os.path.join(header, "Halide.h"))
        run(["g++", "-std=c++17", "-O0", "-x", "c++-header", os.path.join(header, "Halide.h"), "-o",
             os.path.join(header, "Halide.h.gch")])
        for name in names:
            path = options.out and os.path.join(options.out, name + ".json")
            result = kept_result(path)
            if result is None:
                result = run_program(name, header, options)
                if path:
                    os.makedirs(options.out, exist_ok=True)
                    with open(path, "w") as file:
                        json.dump(result, file, indent=1)
            results.append(result)
    lines = table(results, AUTOSCHEDULERS)
    print("\n" + "\n".join(lines))
    if options.report:
        write_report(options.report, lines, options.threads)
    return 1 if any("failed" in r for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
