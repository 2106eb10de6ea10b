#!/usr/bin/env python3
"""What the program says of all that is shipped, as files to compare: before a change that must leave texts alone, and behind it.

scripts/texts.py FOLDER [NAME...]: of every schedule in resources/pipelines, or of those of the programs named: its tree, its estimates
for some devices, and its program as loops and in each language that its target has. Of every operator in resources/workloads: its tree,
estimate and loops under the schedule that its table names. What is refused is written as it is said.
scripts/texts.py --quick FOLDER [NAME...]: without PTX, which takes most of the time.
LOOPSCOPE_CLI names the program, else build/bin/loopscope-cli; JOBS how many are asked for at once, else 2. Then: diff -r BEFORE AFTER.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIPELINES = pathlib.Path("resources/pipelines")
CLI = str(pathlib.Path(os.environ.get("LOOPSCOPE_CLI", ROOT / "build/bin/loopscope-cli")).resolve())
GPUS = ["h200", "a100-sxm-40gb", "v100"]
CPUS = ["i7-6700", "cortex-a15"]


def requests_of(name, schedule, quick):
    """(file's name, arguments) of what is asked about one of a program's schedules."""
    program = [f"{PIPELINES}/{name}.loop", "-s", f"{PIPELINES}/{name}.{schedule}.sched"]
    on_gpu = schedule != "cpu"
    yield "tree.txt", ["tree", *program]
    yield "tree.json", ["tree", *program, "--json"]
    for device in GPUS if on_gpu else CPUS:
        yield f"estimate.{device}.json", ["estimate", *program, "--device", device, "--model", "all", "--json"]
    forms = ["loops", "after:build", "c"] + (["cuda", "opencl"] if on_gpu else ["halide", "tvm"])
    for form in forms + (["ptx"] if on_gpu and not quick else []):
        yield form.replace(":", "_") + ".txt", ["emit", *program, "--as", form]


def requests_of_operator(operator):
    program = [f"{PIPELINES}/{operator['program']}.loop", "-s",
               f"{PIPELINES}/{operator['program']}.{operator['schedule']}.sched",
               *(word for param, value in operator["params"].items() for word in ("--param", f"{param}={value}"))]
    yield "tree.txt", ["tree", *program]
    yield "estimate.h200.json", ["estimate", *program, "--device", "h200", "--model", "all", "--json"]
    yield "loops.txt", ["emit", *program, "--as", "loops"]


def all_requests(names, quick):
    """(folder and file, arguments), in order."""
    for path in sorted((ROOT / PIPELINES).glob("*.sched")):
        name, schedule = path.name.split(".")[:2]
        if not names or name in names:
            for file, arguments in requests_of(name, schedule, quick):
                yield f"{name}.{schedule}/{file}", arguments
    for path in sorted((ROOT / "resources/workloads").glob("*.json")):
        for layer, operator in json.loads(path.read_text())["operators"].items():
            if not names or operator["program"] in names:
                for file, arguments in requests_of_operator(operator):
                    yield f"{path.stem}.{layer}/{file}", arguments


def write(folder, file, arguments):
    said = subprocess.run([CLI, *arguments], cwd=ROOT, capture_output=True, text=True)
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(said.stdout + said.stderr + (f"status {said.returncode}\n" if said.returncode else ""))


def main(arguments):
    quick = "--quick" in arguments
    arguments = [argument for argument in arguments if argument != "--quick"]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__.strip())
    folder = pathlib.Path(arguments[0]).resolve()
    requests = list(all_requests(arguments[1:], quick))
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for done in [pool.submit(write, folder, *request) for request in requests]:
            done.result()
    print(f"{len(requests)} texts in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
