#!/usr/bin/env python3
"""Writes jobs.json, beside this file: what is to be measured on a GPU, with the peer of each.

ALCOP's operators (resources/workloads/alcop.json) under the pipelined schedules and under those without pipelines, large products,
and image programs beside a copy of as many bytes. `loopscope-cli bundle OUT --jobs jobs.json` packs them."""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PIPELINES = os.path.join("..", "..", "..", "resources", "pipelines")
SMALLEST_TILE = 128  # rows of a block in matmul_f16.gpu.sched

# Compulsory traffic of image programs, in elements of f32 that a copy would read and write: half of all bytes that must move.
IMAGES = ["copy", "blur", "unsharp", "harris"]


def matmul(params, **more):
    return {"op": "matmul", "type": "f16", "m": params["M"], "n": params["N"], "k": params["K"], **more}


def convolution(params, rank):
    names = ["D", "H", "W"][3 - rank:]
    window = ["T", "R", "S"][3 - rank:]
    default = {"N": 16 if rank == 2 else 1, "R": 3, "S": 3, "T": 3, "STRIDE": 1, "PADDING": 1}
    p = {**default, **params}
    return {"op": "conv", "type": "f16", "n": p["N"], "c": p["C"], "size": [p[n] for n in names], "filters": p["K"],
            "kernel": [p[n] for n in window], "stride": [p["STRIDE"]] * rank, "padding": [p["PADDING"]] * rank}


def peer_of(program, params):
    if program == "matmul_f16":
        return matmul(params)
    if program == "batch_matmul_qk_f16":
        return matmul(params, batch=params["B"], transpose_b=True)
    if program == "batch_matmul_sv_f16":
        return matmul(params, batch=params["B"])
    return convolution(params, 3 if program.startswith("conv3d") else 2)


def job(name, program, params, schedule, peer=None, **more):
    out = {"name": name, "pipeline": os.path.join(PIPELINES, program + ".loop"), "schedule": schedule, "params": params, **more}
    return {**out, "peer": peer} if peer else out


def main():
    with open(os.path.join(ROOT, "resources", "workloads", "alcop.json"), encoding="utf-8") as file:
        operators = json.load(file)["operators"]
    jobs = []
    for name, operator in operators.items():
        program, params = operator["program"], operator["params"]
        low = program.startswith("matmul") and params["M"] < SMALLEST_TILE
        for variant in ("gpu", "gpu_unpipelined"):
            schedule = os.path.join(PIPELINES, f"{program}.{variant}.sched")
            if low:
                schedule = f"{program}_low.{variant}.sched"
            jobs.append(job(name + ("" if variant == "gpu" else "_unpipelined"), program, params, schedule,
                            peer_of(program, params)))
    for size in (4096, 8192):
        params = {"M": size, "N": size, "K": size}
        jobs.append(job(f"gemm_{size}", "matmul_f16", params, os.path.join(PIPELINES, "matmul_f16.gpu.sched"), matmul(params)))
        jobs.append(job(f"gemm_{size}_persistent", "matmul_f16", params, "matmul_f16_persistent.gpu.sched", matmul(params),
                        architectures=["sm_90"]))
    for program in IMAGES:
        jobs.append(job("image_" + program, program, {}, os.path.join(PIPELINES, program + ".gpu.sched")))
    with open(os.path.join(HERE, "jobs.json"), "w", encoding="utf-8") as file:
        json.dump({"jobs": jobs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
