#!/usr/bin/env python3
"""Checks the include direction of every source file against the layer table of ARCHITECTURE.md.

Usage: check_includes.py REPOSITORY. Prints each violation; exit status 1 if there is any. The list of exceptions is
empty, and stays so.
"""
import os
import re
import sys

ORDER = {"core": 0, "compiler": 1, "tuner": 2, "views": 3, "app": 4}
EXCEPTIONS = set()

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def violations(root):
    for layer in ORDER:
        for folder, _, files in os.walk(os.path.join(root, layer)):
            for name in sorted(files):
                if not name.endswith((".h", ".cpp")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path), encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        match = INCLUDE.match(line)
                        if match and (path, match.group(2)) not in EXCEPTIONS:
                            why = refused(path, layer, match.group(2))
                            if why:
                                yield f"{path}:{number}: includes {match.group(2)}: {why}"


def refused(path, layer, included):
    top = included.split("/")[0]
    if top in ORDER and ORDER[top] > ORDER[layer]:
        return f"{layer}/ may not use {top}/"
    shown = ("compiler/run/buffer", "compiler/run/float_values.h")
    if layer == "views" and top == "compiler" and not included.startswith(shown):
        return "views/ show results; they do not compile"
    if re.match(r"(Q[A-Z]|Qt|Qsci/|qcustomplot)", included):
        if layer in ("core", "compiler", "tuner"):
            return "no Qt below views/"
        if path.startswith("app/cli/") or path.startswith("app/agent/") or path.endswith("_main.cpp"):
            return "the command line, the worker and the agent link no Qt"
    if included.startswith(("llvm/", "llvm-c/")) and not path.startswith(("compiler/codegen/", "compiler/worker/")):
        return "LLVM only in compiler/codegen and compiler/worker"
    if included.startswith("isl/") and not (path.startswith("core/polyhedral/") and path.endswith(".cpp")):
        return "isl only in the sources of core/polyhedral"
    if path.startswith(("compiler/gpu/", "app/agent")) and included.startswith(("compiler/codegen/", "compiler/worker/")):
        return "the agent is a program without a compiler"
    if path.startswith("core/ir/") and included.startswith(("core/schedule/", "core/language/", "core/polyhedral/")):
        return "core/ir knows nothing of schedules"
    return None


def self_test():
    assert refused("core/ir/a.cpp", "core", "compiler/lower/pass.h")
    assert refused("core/ir/a.cpp", "core", "QString")
    assert refused("tuner/model/a.cpp", "tuner", "llvm/IR/Module.h")
    assert refused("core/schedule/a.cpp", "core", "isl/set.h")
    assert refused("app/cli/a.cpp", "app", "QObject")
    assert refused("compiler/gpu/a.cpp", "compiler", "compiler/codegen/nvptx/ptx_program.h")
    assert refused("app/agent_main.cpp", "app", "QString")
    assert not refused("core/polyhedral/a.cpp", "core", "isl/set.h")
    assert not refused("views/widgets/a.cpp", "views", "QWidget")


def main():
    self_test()
    found = list(violations(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
