#!/usr/bin/env python3
"""Writes jobs.json, beside this file, or the file that is named: what is to be measured on a GPU, with the peer of each.

Large products; ALCOP's operators under the schedules that their table names, and under the same without pipelines; image programs
beside a copy of as many bytes; the layers of ResNet-18 and MobileNet, in f32 and in f16. The tables are those of
resources/workloads. `loopscope-cli bundle OUT --jobs jobs.json` packs them."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PIPELINES = os.path.join("..", "..", "..", "resources", "pipelines")
NETWORKS = ["resnet18", "mobilenet", "resnet18_f16", "mobilenet_f16"]
IMAGES = ["copy", "blur", "unsharp", "harris"]


def matmul(params, **more):
    return {"op": "matmul", "type": "f16", "m": params["M"], "n": params["N"], "k": params["K"], **more}


def convolution(params, rank, **more):
    names = ["D", "H", "W"][3 - rank:]
    window = ["T", "R", "S"][3 - rank:]
    return {"op": "conv", "type": "f16", "n": params["N"], "c": params["C"], "size": [params[n] for n in names],
            "filters": params.get("K", params["C"]), "kernel": [params[n] for n in window],
            "stride": [params["STRIDE"]] * rank, "padding": [params["PADDING"]] * rank, **more}


PEERS = {
    "matmul_f16": matmul,
    "batch_matmul_qk_f16": lambda p: matmul(p, batch=p["B"], transpose_b=True),
    "batch_matmul_sv_f16": lambda p: matmul(p, batch=p["B"]),
    "conv2d_f16": lambda p: convolution(p, 2),
    "conv3d_f16": lambda p: convolution(p, 3),
    "conv2d": lambda p: convolution(p, 2, type="f32", channels_first=True),
    "depthwise_conv2d": lambda p: convolution(p, 2, type="f32", channels_first=True, groups=p["C"]),
}


def job(name, program, variant, params, **more):
    out = {"name": name, "pipeline": os.path.join(PIPELINES, program + ".loop"),
           "schedule": os.path.join(PIPELINES, f"{program}.{variant}.sched"), "params": params, **more}
    return {**out, "peer": PEERS[program](params)} if program in PEERS else out


def operators(table):
    with open(os.path.join(ROOT, "resources", "workloads", table + ".json"), encoding="utf-8") as file:
        return json.load(file)["operators"].items()


# Columns of a block of the schedules for warpgroups.
COLUMNS = {"matmul_f16": 256, "batch_matmul_qk_f16": 128, "batch_matmul_sv_f16": 64}


def takes_warpgroups(operator):
    """Whole blocks of 128 rows, and whole turns of 64 terms."""
    columns, p = COLUMNS.get(operator["program"]), operator["params"]
    return columns and p["M"] >= 128 and p["N"] >= columns and p["K"] % 64 == 0


def variants_of_windows(operator):
    """Convolutions whose windows move by one pixel, over whole turns of 64 channels: blocks of 16 images (in 3-D: planes) and 7
    pixels, of 128 output channels or of 64."""
    p = operator["params"]
    if not operator["program"] in ("conv2d_f16", "conv3d_f16") or p["STRIDE"] != 1 or p["C"] % 64 != 0:
        return []
    sizes = operator["output"]
    images = sizes[1] if operator["program"] == "conv3d_f16" else sizes[0]
    if images < 16 or sizes[-2] < 7:
        return []
    return [variant for variant, channels in (("hopper", 128), ("hopper_64_channels", 64)) if p["K"] >= channels]


def main():
    jobs = []
    for size in (4096, 8192):
        jobs.append(job(f"gemm_{size}", "matmul_f16", "gpu", {"M": size, "N": size, "K": size}))
        params = {"M": size, "N": size, "K": size}
        jobs.append(job(f"gemm_{size}_persistent", "matmul_f16", "gpu", params, schedule="matmul_f16_persistent.gpu.sched",
                        architectures=["sm_90"]))
        for variant in ("hopper", "hopper_persistent", "hopper_one_role", "hopper_cluster"):
            jobs.append(job(f"gemm_{size}_{variant}", "matmul_f16", "gpu_" + variant, params, architectures=["sm_90a"]))
    for name, o in operators("alcop"):
        jobs.append(job(name, o["program"], o["schedule"], o["params"]))
        jobs.append(job(name + "_unpipelined", o["program"], o["schedule"] + "_unpipelined", o["params"]))
        if takes_warpgroups(o):
            jobs.append(job(name + "_hopper", o["program"], "gpu_hopper", o["params"], architectures=["sm_90a"]))
        for variant in variants_of_windows(o):
            jobs.append(job(f"{name}_{variant}", o["program"], "gpu_" + variant, o["params"], architectures=["sm_90a"]))
    for program in IMAGES:
        jobs.append(job("image_" + program, program, "gpu", {}))
    for table in NETWORKS:
        for name, o in operators(table):
            jobs.append(job(f"{table}_{name}", o["program"], o["schedule"], o["params"]))
    with open(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "jobs.json"), "w", encoding="utf-8") as file:
        json.dump({"jobs": jobs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
